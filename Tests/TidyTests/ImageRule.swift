/// What docker/Dockerfile copies from the repository reaches the build: .dockerignore lets it through.
enum ImageRule {
    static let path = "docker/Dockerfile"

    /// `ignore` is the text of .dockerignore, which keeps everything outside that it does not name with `!`.
    static func findings(in dockerfile: TextFile, ignore: String) -> [Finding] {
        let named = Set(
            ignore.split(separator: "\n").filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) })
        return dockerfile.lines.flatMap { number, text in
            sources(of: text).filter { source in
                !named.contains { source == $0 || source.hasPrefix($0 + "/") }
            }
            .map {
                Finding(
                    path: dockerfile.path, line: number, reason: "COPY \($0), which .dockerignore leaves out")
            }
        }
    }

    /// What a line copies from the repository; none of another stage.
    private static func sources(of line: Substring) -> [String] {
        let words = line.split(separator: " ")
        guard words.first == "COPY", !words.contains(where: { $0.hasPrefix("--from=") }) else { return [] }
        return words.dropFirst().dropLast().filter { !$0.hasPrefix("--") }.map(String.init)
    }
}
