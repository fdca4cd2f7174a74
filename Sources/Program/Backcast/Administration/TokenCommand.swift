import ArgumentParser
import Concurrency
import HTTP
import JSON
import Timeline

/// Adds, lists and revokes playback tokens.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Adds, lists and revokes playback tokens of a service",
        discussion: """
            Ends with status 1 when the server refuses, 2 for wrong arguments, 3 when the server cannot be \
            reached.
            """,
        subcommands: [Add.self, List.self, Revoke.self])
}

extension TokenCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token and prints it; it cannot be shown again")

        @Argument(help: "Channels that the token is for; '*' for all.") var channels: [String]

        @Option(help: ArgumentHelp("How long the token is valid.", valueName: "duration"))
        var validFor: String?

        @Option(help: ArgumentHelp("When the token expires.", valueName: "time"))
        var expiresAt: String?

        @Option(help: ArgumentHelp("The begin of what may be watched.", valueName: "time"))
        var begin: String?

        @Option(help: ArgumentHelp("The end of what may be watched.", valueName: "time"))
        var end: String?

        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let token = try await client.send(.post, "tokens", .object(try members()))
                guard let token else { return }
                try AdminOutput.print(token, flags)
            }
        }

        func members() throws(AdminFailure) -> [JSONValue.Member] {
            let scope = channels.map { JSONValue.string($0) }
            var members = [
                JSONValue.Member(name: "channel", value: scope.count == 1 ? scope[0] : .array(scope)),
                .init(name: "expires_at", value: .string(try expiry())),
            ]
            for (name, text) in [("begin", begin), ("end", end)] {
                guard let text else { continue }
                members.append(.init(name: name, value: .string(try time("--\(name)", text))))
            }
            return members
        }

        private func expiry() throws(AdminFailure) -> String {
            switch (validFor, expiresAt) {
            case (let text?, nil):
                guard let duration = DurationReading.microseconds(reading: text), duration > 0 else {
                    throw .arguments(
                        "--valid-for \(text) is not a duration: use seconds, or ISO 8601 such as P30D")
                }
                return (HostClock.system.now() + duration).rfc3339
            case (nil, let text?): return try time("--expires-at", text)
            default: throw .arguments("give either --valid-for or --expires-at")
            }
        }

        /// A time as it was given: the server knows the zone of the channels.
        private func time(_ name: String, _ text: String) throws(AdminFailure) -> String {
            guard InstantReading.reading(text) != nil else {
                throw .arguments("\(name) \(text) is not a time: use \(InstantReading.formats)")
            }
            return text
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists tokens, never their text")

        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let tokens = try await client.items("tokens")
                if flags.json { return try AdminOutput.print(json: tokens) }
                let names = ["id", "channel", "expires_at", "begin", "end"]
                try AdminOutput.print(
                    table: tokens.map { token in names.map { token[$0]?.cell ?? "" } },
                    under: ["ID", "CHANNEL", "EXPIRES AT", "BEGIN", "END"])
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes tokens invalid within 5 seconds")

        @Argument(help: "Ids of tokens.") var ids: [String]
        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let failure = await AdminFailure.last(of: ids) { id throws(AdminFailure) in
                    try await client.send(.delete, "tokens/\(PercentEncoding.encoded(id))")
                }
                if let failure { throw failure }
            }
        }
    }
}
