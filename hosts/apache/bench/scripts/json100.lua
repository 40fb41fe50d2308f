local cjson = require "cjson"

function handle(r)
    local users = {}
    for i = 1, 100 do
        users[i] = {
            id = i, name = "User " .. i, email = "u" .. i .. "@example.com", score = (i * 30 + 5) / 100, tags = { "red", "blue" },
            at = { lat = (35000 + i * 79) / 1000, lon = (139000 + i * 61) / 1000 }, active = i % 3 ~= 0
        }
    end
    r.content_type = "application/json"
    r:puts(cjson.encode({ count = 100, users = users }))
end
