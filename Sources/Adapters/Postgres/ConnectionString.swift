import CLibpq

/// Where the database is and who asks: a libpq URI or keyword string, a secret that does not print.
package struct ConnectionString: Sendable {
    /// The whole text, password included: for libpq alone.
    let secret: String
    /// The password by itself, so that no message repeats it.
    private let password: String?
    /// Host and database, for people.
    package let place: String

    /// Checks the form only; nothing is connected to.
    package init(_ text: String) throws(PostgresError) {
        let options = try Self.options(of: text)
        secret = text
        password = options["password"]
        place = "\(options["host"] ?? "local")/\(options["dbname"] ?? options["user"] ?? "")"
    }

    /// Takes the password out of what a library has to say.
    func redacted(_ message: String) -> String {
        guard let password, !password.isEmpty else { return message }
        return message.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
    }

    /// What the text says, by keyword.
    ///
    /// libpq's own complaint may repeat the text, so it is not passed on.
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
