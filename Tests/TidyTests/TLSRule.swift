/// Where a sample has TLS, a sample beside it makes the URLs in lists begin with https.
///
/// They begin with http otherwise, and apps send their tokens in clear text.
enum TLSRule {
    static let setting = "BACKCAST_PUBLIC_URL"

    static func findings(in files: [TextFile]) -> [Finding] {
        let samples = files.filter { $0.path.hasPrefix("deploy/") }
        let proxies = samples.filter { !hosts(of: $0).isEmpty }
        guard !proxies.isEmpty else { return [Finding(path: "deploy", reason: "no sample has TLS")] }
        return proxies.flatMap { proxy in
            let folder = samples.filter { Self.folder(of: $0) == Self.folder(of: proxy) }
            return hosts(of: proxy).filter { host in !folder.contains { names(host, $0) } }.map {
                Finding(path: proxy.path, reason: "lacks \(setting) with https://\($0)")
            }
        }
    }

    /// The hosts to which nginx or an Ingress gives TLS.
    private static func hosts(of file: TextFile) -> [String] {
        let hasTLS = file.text.contains(/(?m)^\s*listen .*\bssl\b/)
        let servers = hasTLS ? file.text.matches(of: /server_name (\S+);/).map { String($0.1) } : []
        let ingress = file.text.matches(of: /- hosts: \[([^\]]+)\]/).map { String($0.1) }
        return Set(servers + ingress).sorted()
    }

    private static func folder(of file: TextFile) -> Substring {
        file.path.dropLast(file.name.count)
    }

    private static func names(_ host: String, _ file: TextFile) -> Bool {
        file.lines.contains { _, line in line.contains(setting) && line.contains("https://\(host)") }
    }
}
