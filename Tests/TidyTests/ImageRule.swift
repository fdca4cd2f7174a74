/// What docker/Dockerfile copies from the repository reaches the build: .dockerignore lets it through.
///
/// Each FROM names a build argument that has a default, so a build can use another base image.
enum ImageRule {
    static let path = "docker/Dockerfile"

    /// `ignore` is the text of .dockerignore, which keeps everything outside that it does not name with `!`.
    static func findings(in dockerfile: TextFile, ignore: String) -> [Finding] {
        let named = Set(
            ignore.split(separator: "\n").filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) })
        let copied = dockerfile.lines.flatMap { number, text in
            sources(of: text).filter { source in
                !named.contains { source == $0 || source.hasPrefix($0 + "/") }
            }
            .map {
                Finding(
                    path: dockerfile.path, line: number, reason: "COPY \($0), which .dockerignore leaves out")
            }
        }
        return bases(in: dockerfile) + copied
    }

    /// Base images that are neither the default of an argument nor an earlier stage.
    private static func bases(in dockerfile: TextFile) -> [Finding] {
        var known: Set<String> = []
        var findings: [Finding] = []
        for (number, text) in dockerfile.lines {
            let words = text.split(separator: " ").map(String.init)
            if words.count > 1, words[0] == "ARG", let end = words[1].firstIndex(of: "=") {
                known.insert("${\(words[1][..<end])}")
            }
            guard words.count > 1, words[0] == "FROM" else { continue }
            if !known.contains(words[1]) {
                findings.append(
                    Finding(
                        path: dockerfile.path, line: number,
                        reason: "FROM \(words[1]), which no argument has as its default"))
            }
            if words.count > 3, words[2] == "AS" { known.insert(words[3]) }
        }
        return findings
    }

    /// What a line copies from the repository; none of another stage.
    private static func sources(of line: Substring) -> [String] {
        let words = line.split(separator: " ")
        guard words.first == "COPY", !words.contains(where: { $0.hasPrefix("--from=") }) else { return [] }
        return words.dropFirst().dropLast().filter { !$0.hasPrefix("--") }.map(String.init)
    }
}
