local cjson = require "cjson"

function handle(r)
    local users = cjson.decode((r:requestbody())).users
    r.content_type = "text/plain"
    r:puts(users[100].email .. " " .. users[50].score .. "\n")
end
