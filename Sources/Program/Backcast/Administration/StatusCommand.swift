import ArgumentParser
import HTTP
import JSON

/// Says how the recording of channels goes.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says how the recording of channels goes",
        discussion: """
            All channels unless ids are given. Ends with status 1 when the server refuses, 2 for wrong \
            arguments, 3 when the server cannot be reached.
            """)

    @Argument(help: ArgumentHelp("Ids of channels.", valueName: "id"))
    var ids: [String] = []

    @OptionGroup var flags: AdminFlags

    func run() async throws {
        try await AdminClient.run(flags) { client throws(AdminFailure) in
            if ids.isEmpty { return try show(try await all(client)) }
            // An invalid id is a wrong argument: no request is sent then.
            for id in ids { _ = try ChannelCommand.path(id) }
            var answers: [JSONValue] = []
            let failure = await AdminFailure.last(of: ids) { id throws(AdminFailure) in
                answers += try await status(at: try ChannelCommand.path(id), client)
            }
            if failure == nil || !answers.isEmpty { try show(answers) }
            if let failure { throw failure }
        }
    }

    private func status(
        at path: String, _ client: AdminClient,
    ) async throws(AdminFailure) -> [JSONValue] {
        try await client.send(.get, path + "/status").map { [$0] } ?? []
    }

    /// The channels that are there; one may be removed after they were listed.
    private func all(_ client: AdminClient) async throws(AdminFailure) -> [JSONValue] {
        var answers: [JSONValue] = []
        for id in try await client.items("channels").compactMap({ $0["id"]?.text }) {
            do throws(AdminFailure) {
                answers += try await status(at: try ChannelCommand.path(id), client)
            } catch .notFound {
                continue
            }
        }
        return answers
    }

    private func show(_ answers: [JSONValue]) throws(AdminFailure) {
        if flags.json { return try AdminOutput.print(json: answers) }
        try AdminOutput.print(
            table: answers.map(Self.row),
            under: [
                "CHANNEL", "STATE", "LIVE EDGE", "LAG", "RENDITIONS", "STORED", "LOST", "SOURCE", "DETAIL",
            ])
    }

    private static func row(_ status: JSONValue) -> [String] {
        let renditions = status["renditions"]?.elements ?? []
        return [
            status["channel"]?.cell ?? "", status["state"]?.cell ?? "", status["live_edge"]?.cell ?? "",
            status["lag_seconds"]?.double.map { "\(($0 * 10).rounded() / 10) s" } ?? "-",
            renditions.compactMap { $0["id"]?.text }.joined(separator: ","),
            Self.sum(renditions.map { $0["stored"]?.double }), Self.sum(renditions.map(Self.lost)),
            status["source"]?["url"]?.cell ?? "-",
            status["detail"]?.cell ?? "-",
        ]
    }

    /// A dash if there is no count: no node reports of the channel.
    private static func sum(_ counts: [Double?]) -> String {
        let counts = counts.compactMap(\.self)
        guard !counts.isEmpty else { return "-" }
        let sum = counts.reduce(0, +)
        return Int64(exactly: sum).map { "\($0)" } ?? "\(sum)"
    }

    /// Over all reasons; nil if they are not known.
    private static func lost(in rendition: JSONValue) -> Double? {
        guard case .object(let reasons)? = rendition["lost"] else { return nil }
        return reasons.compactMap { $0.value.double }.reduce(0, +)
    }
}
