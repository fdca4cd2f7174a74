import ArgumentParser
import Foundation
import HTTP
import HTTPServer

/// Where the admin API is, and how its answers are shown.
struct AdminFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The address of the service; without it that of BACKCAST_ADMIN_LISTEN, else that of \
            BACKCAST_LISTEN, else http://127.0.0.1:8080.
            """, valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the admin token; without it BACKCAST_ADMIN_TOKEN is used.", valueName: "file"))
    var tokenFile: String?

    @Flag(help: "Lines of JSON instead of a table.")
    var json = false

    /// The address without the slash at its end.
    func address(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(AdminFailure) -> String {
        let server = if let given = self.server { given } else { try Self.ownServer(environment) }
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

    /// Where the service of this machine has its admin API, as its settings in the environment say.
    private static func ownServer(_ environment: [String: String]) throws(AdminFailure) -> String {
        let sources = SettingSources(environment: environment)
        for setting in [Setting.adminListen, .listen] {
            guard let written = sources.written(setting) else { continue }
            do {
                let address = try ListenAddress.reading(written.text)
                return "http://\(reachable(address))"
            } catch {
                throw .arguments("\(setting.rawValue): \(error)")
            }
        }
        return "http://127.0.0.1:8080"
    }

    /// The loopback address for one that means every address of the machine.
    private static func reachable(_ address: ListenAddress) -> ListenAddress {
        switch address.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: address.port)
        case "::": ListenAddress(host: "::1", port: address.port)
        default: address
        }
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
