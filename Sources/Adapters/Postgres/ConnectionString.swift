import CLibpq

/// The address of the database and the credentials: a libpq URI or keyword string, which is secret and never
/// printed.
package struct ConnectionString: Sendable {
    /// The whole text with the password, for libpq only.
    let secret: String
    /// The password, which is removed from every message.
    private let password: String?
    /// Host and database, for messages.
    package let hostAndDatabase: String
    /// Whether it names several servers and leaves open which of them are wanted.
    let omitsTargetSession: Bool
    /// Whether it asks for a standby first, and for any server if there is no standby.
    let prefersStandby: Bool
    private let listed: [DatabaseServer]
    /// Whether servers, and the addresses of each, are tried in a random order.
    let isOrderRandom: Bool

    /// Checks the form only, without connecting.
    package init(_ text: String) throws(PostgresError) {
        let options = try Self.options(of: text)
        secret = text
        password = options["password"]
        omitsTargetSession =
            options["target_session_attrs"] == nil
            && ["host", "hostaddr"].contains { options[$0]?.contains(",") ?? false }
        prefersStandby = options["target_session_attrs"] == "prefer-standby"
        listed = DatabaseServer.all(in: options)
        isOrderRandom = options["load_balance_hosts"] == "random"
        hostAndDatabase = "\(options["host"] ?? "local")/\(options["dbname"] ?? options["user"] ?? "")"
    }

    /// The servers in it, in the order in which they are tried.
    var servers: [DatabaseServer] { isOrderRandom ? listed.shuffled() : listed }

    /// Removes the password from a message of the library.
    func redacted(_ message: String) -> String {
        guard let password, !password.isEmpty else { return message }
        return message.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
    }

    /// The options of the text by keyword.
    ///
    /// libpq's error message may repeat the text, so it is not passed on.
    private static func options(of text: String) throws(PostgresError) -> [String: String] {
        guard !text.utf8.contains(0), let first = unsafe PQconninfoParse(text, nil) else {
            throw PostgresError(.configuration, "the connection string is not one that libpq understands")
        }
        defer { unsafe PQconninfoFree(first) }
        var result: [String: String] = [:]
        var option = unsafe first
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe result[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return result
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a PostgreSQL connection string" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
