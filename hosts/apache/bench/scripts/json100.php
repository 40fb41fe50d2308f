<?php
$users = [];
for ($i = 1; $i <= 100; ++$i) {
    $users[] = [
        'id' => $i, 'name' => "User $i", 'email' => "u$i@example.com", 'score' => ($i * 30 + 5) / 100, 'tags' => ['red', 'blue'],
        'at' => ['lat' => (35000 + $i * 79) / 1000, 'lon' => (139000 + $i * 61) / 1000], 'active' => $i % 3 != 0
    ];
}
header('Content-Type: application/json');
echo json_encode(['count' => 100, 'users' => $users]);
