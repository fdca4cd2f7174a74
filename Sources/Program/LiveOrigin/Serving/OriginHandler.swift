import HTTP
import Synchronization

/// Answers every request of the origin.
struct OriginHandler: HTTPHandler {
    var channels: [String: Channel]
    var ledgerPath: String
    /// Seconds since 1970.
    var now: @Sendable () -> Double
    /// Closes the listening socket for these seconds, after this answer.
    var refuseConnections: @Sendable (Double) -> Void = { _ in }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission { .upTo(Limits.controlBytes) }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        switch parts.first {
        case "" where parts.count == 1: return .now(overview())
        case "control": return .now(control(request))
        case "ledger.jsonl": return .now(LedgerFile.response(path: ledgerPath))
        case "static" where parts.count == 2: return .now(StaticResources.response(for: parts[1]))
        case let name?:
            guard let channel = channels[name] else { return .now(HTTPResponse(status: .notFound)) }
            return ChannelAnswer(channel: channel, now: now()).answer(Array(parts.dropFirst()))
        case nil: return .now(HTTPResponse(status: .notFound))
        }
    }

    /// The paths of all channels, one per line.
    private func overview() -> HTTPResponse {
        let paths = channels.keys.sorted().map { "/\($0)/index.m3u8\n" }.joined()
        return HTTPResponse(
            status: .ok, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(paths.utf8)))
    }

    private func control(_ request: HTTPRequest) -> HTTPResponse {
        do {
            let control = try ControlRequest(request)
            let chosen = channels.values.filter { control.channel == nil || $0.name == control.channel }
            guard !chosen.isEmpty else {
                throw ControlRequest.Refusal(reason: "channel: not found")
            }
            switch control.action {
            case .fault(let fault):
                for channel in chosen { channel.state.withLock { $0.apply(fault, now: now()) } }
            case .refuseConnections(let seconds): refuseConnections(seconds)
            }
            return text(.ok, "in force\n")
        } catch {
            let reason = (error as? ControlRequest.Refusal)?.reason ?? "\(error)"
            return text(.badRequest, reason + "\n")
        }
    }

    private func text(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8)))
    }
}
