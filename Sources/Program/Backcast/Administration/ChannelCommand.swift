import ArgumentParser
import HTTP
import JSON
import Timeline

/// Adds, lists, shows, changes and removes channels.
struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Adds, lists, shows, changes and removes channels of a service",
        discussion: """
            Ends with status 1 when the server refuses, 2 for wrong arguments, 3 when the server cannot be \
            reached.
            """,
        subcommands: [Add.self, List.self, Show.self, Set.self, Remove.self])

    /// Fields of a channel.
    struct Fields: ParsableArguments {
        @Argument(
            help: ArgumentHelp(
                """
                Fields as in the admin API, such as title=News or retention_seconds=86400. A value that is \
                JSON is sent as it is, all others as text; a title is always text, and a group unless it \
                is null.
                """, valueName: "field=value"))
        var fields: [String] = []

        @Option(
            help: ArgumentHelp(
                "The URL of a source, the preferred one first; may be repeated.", valueName: "url"))
        var source: [String] = []

        @Option(
            help: ArgumentHelp("A header field for these sources; may be repeated.", valueName: "name: value")
        )
        var header: [String] = []

        func members() throws(AdminFailure) -> [JSONValue.Member] {
            let given = try fields.map { text throws(AdminFailure) in try Self.member(text) }
            if source.isEmpty {
                guard header.isEmpty else { throw .arguments("--header needs --source") }
                return given
            }
            let headers = JSONValue.object(
                try header.map { text throws(AdminFailure) in try Self.headerField(text) })
            let sources = source.enumerated().map { index, url -> JSONValue in
                ["url": .string(url), "headers": headers, "priority": .integer(Int64(index))]
            }
            return given + [.init(name: "sources", value: .array(sources))]
        }

        private static func member(_ text: String) throws(AdminFailure) -> JSONValue.Member {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw .arguments("\(text) is not of the form field=value")
            }
            let (name, value) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
            // Digits may be a title or a group.
            let isText = name == "title" || name == "group" && value != "null"
            let json = isText ? nil : try? JSONReader.value(of: Array(value.utf8))
            return JSONValue.Member(name: name, value: json ?? .string(value))
        }

        private static func headerField(_ text: String) throws(AdminFailure) -> JSONValue.Member {
            guard let field = HeaderFlag.reading(text) else { throw .arguments(HeaderFlag.fault) }
            return JSONValue.Member(name: field.name, value: .string(field.value))
        }
    }

    /// The path of a channel below the API's root.
    static func path(_ text: String) throws(AdminFailure) -> String {
        guard let id = ChannelID(text) else {
            throw .arguments(
                "\(text) is not a channel id: 1 to 63 of a-z, 0-9, - and _, the first a letter or a digit")
        }
        return "channels/\(id.text)"
    }
}

extension ChannelCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a channel and begins to record it")

        @Argument(help: "The id of the new channel.") var id: String
        @OptionGroup var fields: Fields
        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                _ = try ChannelCommand.path(id)
                let members = [JSONValue.Member(name: "id", value: .string(id))] + (try fields.members())
                try ChannelCommand.show(try await client.send(.post, "channels", .object(members)), flags)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all channels")

        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let channels = try await client.items("channels")
                if flags.json { return try AdminOutput.print(json: channels) }
                let rows = channels.map { channel in
                    [
                        channel["id"]?.cell ?? "", channel["recording"] == true ? "yes" : "no",
                        channel["retention_seconds"].map(ChannelCommand.retention) ?? "",
                        "\(channel["sources"]?.elements.count ?? 0)", channel["title"]?.cell ?? "",
                    ]
                }
                try AdminOutput.print(
                    table: rows, under: ["ID", "RECORDING", "RETENTION", "SOURCES", "TITLE"])
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the fields of a channel")

        @Argument(help: "The id of the channel.") var id: String
        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                try ChannelCommand.show(try await client.send(.get, try ChannelCommand.path(id)), flags)
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Changes fields of a channel")

        @Argument(help: "The id of the channel.") var id: String
        @OptionGroup var fields: Fields
        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let members = try fields.members()
                if members.isEmpty { throw .arguments("a field is missing, such as title=News") }
                let answer = try await client.send(
                    .patch, try ChannelCommand.path(id), .object(members),
                    type: "application/merge-patch+json")
                try ChannelCommand.show(answer, flags)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops a channel and removes it; what was recorded plays until its retention ends")

        @Argument(help: "The id of the channel.") var id: String
        @Flag(help: "Delete what was recorded, too.") var purge = false
        @OptionGroup var flags: AdminFlags

        func run() async throws {
            try await AdminClient.run(flags) { client throws(AdminFailure) in
                let path = try ChannelCommand.path(id) + (purge ? "?purge=true" : "")
                // What is recorded may take longer than a request.
                while try await client.send(.delete, path) != nil {}
            }
        }
    }

    private static func show(_ channel: JSONValue?, _ flags: AdminFlags) throws(AdminFailure) {
        if let channel { try AdminOutput.print(channel, flags) }
    }

    /// In the largest unit that is exact.
    private static func retention(_ seconds: JSONValue) -> String {
        guard case .integer(let count) = seconds else { return "forever" }
        let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min")]
        let unit = units.first { count % $0.0 == 0 } ?? (1, "s")
        return "\(count / unit.0) \(unit.1)"
    }
}
