-- Asks for the targets of the file that is its argument, in turn. Prints the results as JSON behind what wrk prints.
-- With "X-Forwarded-For: each" the targets are asked for by many clients.
local requests, place = {}, 0

function init(arguments)
    local each = wrk.headers["X-Forwarded-For"] == "each"
    for path in io.lines(arguments[1]) do
        if each then wrk.headers["X-Forwarded-For"] = "198.51.100." .. (#requests % 254 + 1) end
        requests[#requests + 1] = wrk.format(nil, path)
    end
    math.randomseed(os.time())
    place = math.random(#requests)
end

function request()
    place = place % #requests + 1
    return requests[place]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests": %d, "seconds": %f, "bytes": %d, "refused": %d, "broken": %d, "p50": %f, "p99": %f, "worst": %f}\n',
        summary.requests, summary.duration / 1e6, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
