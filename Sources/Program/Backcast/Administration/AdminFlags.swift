import ArgumentParser
import Foundation
import HTTP

/// Where the admin API is, and how its answers are shown.
struct AdminFlags: ParsableArguments {
    @Option(help: ArgumentHelp("The address of the service.", valueName: "url"))
    var server = "http://127.0.0.1:8080"

    @Option(
        help: ArgumentHelp(
            "A file that holds the admin token; without it BACKCAST_ADMIN_TOKEN is used.", valueName: "file"))
    var tokenFile: String?

    @Flag(help: "Lines of JSON instead of a table.")
    var json = false

    /// The address without the slash at its end.
    func address() throws(AdminFailure) -> String {
        let url: HTTPURL
        do {
            url = try HTTPURL(server)
        } catch {
            throw .arguments("--server \(server): \(error)")
        }
        guard !server.contains("?"), !server.contains("#") else {
            throw .arguments("--server \(server) has a query or a fragment")
        }
        let text = url.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    func token() throws(AdminFailure) -> String {
        let token = try storedToken().trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw .arguments("the admin token is missing: use --token-file or BACKCAST_ADMIN_TOKEN")
        }
        guard token.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw .arguments("the admin token has characters that no token has")
        }
        return token
    }

    private func storedToken() throws(AdminFailure) -> String {
        guard let tokenFile else {
            return ProcessInfo.processInfo.environment["BACKCAST_ADMIN_TOKEN"] ?? ""
        }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: tokenFile))
            return String(
                decoding: try file.read(upToCount: Limits.stateFileByteCount) ?? Data(), as: UTF8.self)
        } catch {
            throw .arguments("--token-file \(tokenFile) cannot be read: \(error.localizedDescription)")
        }
    }
}
