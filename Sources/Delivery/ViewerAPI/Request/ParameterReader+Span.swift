import HTTP
import Playback
import Timeline

/// The window that a query names, in this API's own parameters or in those of another player API.
extension ParameterReader {
    func span() throws(ParameterError) -> WindowRequest.Span {
        let beginnings = ["begintime", "utc", "playseek"].filter(has)
        if let second = beginnings.dropFirst().first {
            throw ParameterError(second, "\(second) and \(beginnings[0]) both give the begin of the window")
        }
        guard let name = beginnings.first else { return try sliding() }
        for other in ["dvr", "delay", "timeshift"] where has(other) {
            throw ParameterError(other, "\(other) is for live playback and cannot be combined with \(name)")
        }
        return name == "playseek" ? try playseek() : try window(beginning: name)
    }

    /// The parameter that gives the end of the window, or would give it.
    var endName: String {
        ["duration", "endtime", "playseek"].first(where: has) ?? "endtime"
    }

    /// The parameter that gives how far a live playlist is behind live.
    var delayName: String { has("timeshift") ? "timeshift" : "delay" }

    private func sliding() throws(ParameterError) -> WindowRequest.Span {
        // Apps append `lutc` to the URL of a channel that they play live: it has no meaning there.
        for name in ["duration", "endtime", "mode"] where has(name) {
            throw ParameterError(name, "\(name) needs begintime")
        }
        if let delay = try duration("timeshift", allowsZero: true) {
            for other in ["dvr", "delay"] where has(other) {
                throw ParameterError(other, "\(other) cannot be combined with timeshift")
            }
            return .timeshift(delay: delay)
        }
        return .sliding(
            length: try duration("dvr", allowsZero: false),
            delay: try duration("delay", allowsZero: true) ?? 0)
    }

    private func window(beginning name: String) throws(ParameterError) -> WindowRequest.Span {
        guard let begin = try instant(name) else { throw ParameterError(name, "\(name) is missing") }
        // `lutc` is the viewer's clock at the click, whatever it says: the window extends to the live edge in
        // any case.
        return try span(begin: begin, end: try end(after: begin))
    }

    private func end(after begin: Instant) throws(ParameterError) -> Instant? {
        if has("duration"), has("endtime") {
            throw ParameterError("duration", "duration and endtime both give the end of the window")
        }
        if let duration = try duration("duration", allowsZero: false) { return begin + duration }
        guard let end = try instant("endtime", after: begin) else { return nil }
        guard end > begin else {
            throw ParameterError("endtime", "endtime is not after the begin of the window")
        }
        return end
    }

    private func span(begin: Instant, end: Instant?) throws(ParameterError) -> WindowRequest.Span {
        let isEvent = try flag("mode", value: "event")
        return isEvent ? .event(begin: begin, end: end) : .closed(begin: begin, end: end)
    }

    /// `{begin}-{end}`, in the channel's time zone.
    private func playseek() throws(ParameterError) -> WindowRequest.Span {
        for name in ["duration", "endtime", "lutc"] where has(name) {
            throw ParameterError(name, "\(name) cannot be combined with playseek")
        }
        let parts = (items["playseek"] ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ParameterError("playseek", "playseek must be yyyyMMddHHmmss-yyyyMMddHHmmss")
        }
        let begin = try instant("playseek", text: String(parts[0]))
        let end =
            parts[1].isEmpty ? nil : try instant("playseek", text: String(parts[1]), after: begin)
        if let end, end <= begin { throw ParameterError("playseek", "playseek ends before it begins") }
        return try span(begin: begin, end: end)
    }
}
