import Foundation

/// An nginx of the test's own with TLS, HTTP/2 and a certificate that nobody has signed.
final class PrivateNginx {
    let folder: URL
    let port: UInt16
    private let process = Process()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "nginx-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        try makeCertificate()
        try Data("#EXTM3U\n".utf8).write(to: folder.appending(path: "list.m3u8"))
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        process.executableURL = URL(filePath: "/usr/sbin/nginx")
        process.arguments = [
            "-p", folder.path(), "-c", folder.appending(path: "nginx.conf").path(), "-e", "stderr",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var certificateFile: String { folder.appending(path: "certificate.pem").path() }
    var accessLog: String {
        (try? String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)) ?? ""
    }

    var isRunning: Bool { process.isRunning }

    func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/list.m3u8" }

    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// One process, in the foreground, that writes its log at once.
    private var configuration: String {
        """
        daemon off;
        master_process off;
        pid \(folder.path())nginx.pid;
        events { worker_connections 64; }
        http {
            access_log \(folder.path())access.log;
            client_body_temp_path \(folder.path())body;
            proxy_temp_path \(folder.path())proxy;
            fastcgi_temp_path \(folder.path())fastcgi;
            uwsgi_temp_path \(folder.path())uwsgi;
            scgi_temp_path \(folder.path())scgi;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(folder.path())certificate.pem;
                ssl_certificate_key \(folder.path())key.pem;
                root \(folder.path());
            }
        }
        """
    }

    private func makeCertificate() throws {
        _ = try output(
            of: "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout",
                folder.appending(path: "key.pem").path(),
                "-out", certificateFile,
            ])
    }

    /// A port that was free a moment ago: nginx cannot be told to let the kernel choose.
    private static func freePort() throws -> UInt16 {
        let server = try ScriptedServer { $1.respond() }
        server.stop()
        return server.port
    }
}
