import Foundation

/// Runs a test with an nginx of its own: TLS, HTTP/2, and a self-signed certificate.
///
/// What it serves is a list, or what `http` says, given its folder and its port.
func withNginx(
    serving http: ((_ folder: String, _ port: UInt16) throws -> String)? = nil,
    _ body: (PrivateNginx) async throws -> Void,
) async throws {
    try await withFolder { folder in
        let nginx = try await PrivateNginx.start(in: folder, serving: http ?? PrivateNginx.list)
        do {
            try await body(nginx)
        } catch {
            await nginx.stop()
            throw error
        }
        await nginx.stop()
    }
}

final class PrivateNginx {
    let folder: URL
    private let port: UInt16
    private let program: ChildProgram

    private init(
        folder: URL, port: UInt16, serving http: (_ folder: String, _ port: UInt16) throws -> String,
    ) throws {
        self.folder = folder
        self.port = port
        let configuration = folder.appending(path: "nginx.conf")
        let served = try http(folder.path(), port)
        try Data(Self.configuration(folder.path(), served).utf8).write(to: configuration)
        program = try ChildProgram(
            "/usr/sbin/nginx", ["-p", folder.path(), "-c", configuration.path(), "-e", "stderr"])
    }

    static func start(
        in folder: URL, serving http: (_ folder: String, _ port: UInt16) throws -> String,
    ) async throws -> PrivateNginx {
        _ = try await output(
            of: "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout",
                folder.appending(path: "key.pem").path(),
                "-out", folder.appending(path: "certificate.pem").path(),
            ])
        try Data("#EXTM3U\n".utf8).write(to: folder.appending(path: "list.m3u8"))
        return try PrivateNginx(folder: folder, port: freePort(), serving: http)
    }

    var isRunning: Bool { program.isRunning }
    var certificateFile: String { folder.appending(path: "certificate.pem").path() }

    /// The lines of the access log, which is written at once.
    var accessLog: [Substring] {
        let text = try? String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        return text?.split(separator: "\n") ?? []
    }

    func url(_ host: String = "localhost", _ path: String = "/list.m3u8") -> String {
        "https://\(host):\(port)\(path)"
    }

    fileprivate func stop() async {
        program.stop()
        _ = await program.exit()
    }

    /// One process, in the foreground, with every file in the folder.
    private static func configuration(_ folder: String, _ http: String) -> String {
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)\($0);" }.joined(separator: "\n    ")
        return """
            daemon off;
            master_process off;
            pid \(folder)nginx.pid;
            error_log \(folder)main.log;
            events { worker_connections 64; }
            http {
                \(temporaryPaths)
                \(http)
            }
            """
    }

    /// A server of a list.
    static func list(_ folder: String, _ port: UInt16) -> String {
        """
        log_format plain '$connection $request $status';
        access_log \(folder)access.log plain;
        server {
            listen 127.0.0.1:\(port) ssl http2;
            ssl_certificate \(folder)certificate.pem;
            ssl_certificate_key \(folder)key.pem;
            root \(folder);
        }
        """
    }

    /// A port that was free a moment ago: nginx cannot be told to let the kernel choose.
    static func freePort() throws -> UInt16 {
        let server = try ScriptedServer { $1.respond() }
        server.stop()
        return server.port
    }
}
