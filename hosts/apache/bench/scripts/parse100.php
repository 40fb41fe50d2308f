<?php
$users = json_decode(file_get_contents('php://input'), true)['users'];
header('Content-Type: text/plain');
echo $users[99]['email'], ' ', $users[49]['score'], "\n";
