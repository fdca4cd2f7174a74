import Dispatch
import Testing

/// The rules, held against the repository itself.
@Suite("The repository keeps its rules")
struct RepositoryTests {
    /// Computes for seconds on a thread of its own: those of Swift's pool are few, and other tests wait for
    /// them.
    private func apart(_ rule: @escaping @Sendable () -> [Finding]) async -> [Finding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: rule()) }
        }
    }

    private func expectNone(_ findings: [Finding]) {
        #expect(findings.isEmpty, "\n\(findings.report)")
    }

    @Test("Modules import what the table gives them, and the documented table agrees")
    func imports() async throws {
        let rule = ImportRule(graph: try await .ofPackage())
        let files = Repository.swiftFiles
        #expect(rule.graph.modules.count > 20)
        expectNone(rule.undeclared(in: files))
        expectNone(rule.libraries(in: files))
        expectNone(rule.foundation(in: files))
        expectNone(rule.unused(in: files))
        let all = Repository.files
        expectNone(DocumentRule.modules(rule.graph).findings(in: all))
        expectNone(ModuleTableRule.findings(in: all, graph: rule.graph))
    }

    @Test("A dangerous construct stands only where the list says why")
    func dangers() async {
        expectNone(
            await apart { DangerRule(exceptions: listedExceptions).findings(in: Repository.swiftFiles) })
    }

    @Test("Text goes into SQL only as a static member")
    func verbatim() {
        #expect(Repository.swiftFiles.contains { $0.text.contains("\\(verbatim: Self.") })
        expectNone(VerbatimRule().findings(in: Repository.swiftFiles))
    }

    @Test("What is declared for other modules is used by one")
    func packages() async {
        expectNone(await apart { PackageRule().findings(in: Repository.swiftFiles) })
    }

    @Test("Files are short, finished, and name no machine's folders")
    func texts() {
        #expect(Repository.files.count > 50)
        expectNone(TextRules.tooLong(Repository.files))
        expectNone(TextRules.wideComments(Repository.swiftFiles))
        expectNone(TextRules.unfinished(Repository.files))
        expectNone(TextRules.machinePaths(Repository.files))
    }

    @Test("Migrations are numbered without a hole, and are as they landed")
    func migrations() throws {
        let files = Repository.files.filter { $0.path.hasPrefix("migrations/") }
        #expect(!files.isEmpty)
        expectNone(MigrationRule.findings(files.map(\.path)))
        let digests = try #require(Repository.file(MigrationRule.digestsPath))
        expectNone(try MigrationRule.changes(of: files, digests: digests.text))
    }

    @Test("What the image copies is let through to its build")
    func image() throws {
        let dockerfile = try #require(Repository.file(ImageRule.path))
        let ignore = try #require(Repository.file(".dockerignore")).text
        #expect(dockerfile.text.contains("COPY ") && ignore.contains("\n*\n"))
        expectNone(ImageRule.findings(in: dockerfile, ignore: ignore))
    }

    @Test("Every path of the Xtream Codes API passes the samples of proxies")
    func proxies() {
        expectNone(ProxyRule.findings(in: Repository.files))
    }

    @Test("Where a sample has TLS, URLs in lists begin with https")
    func listsWithTLS() {
        expectNone(TLSRule.findings(in: Repository.files))
    }

    @Test("Links in documents resolve")
    func links() {
        let rule = LinkRule(exists: Repository.exists, document: Repository.file)
        expectNone(rule.findings(in: Repository.files))
    }

    @Test("The glossary names what is there")
    func glossary() {
        let files = Repository.files
        #expect(Schema(migrations: files).tables.count > 10)
        let rule = GlossaryRule(files: files)
        expectNone(rule.findings(in: files))
        expectNone(rule.unknownTypes(in: files))
    }

    @Test("Documents have the parameters, paths, settings, metrics, alerts and tables of the program")
    func documents() {
        let files = Repository.files
        let sources = Repository.swiftFiles
        let schema = Schema(migrations: files)
        expectNone(DocumentRule.parameters(in: files).findings(in: files))
        expectNone(DocumentRule.settings(SettingRule(sources: sources).known).findings(in: files))
        expectNone(DocumentRule.metrics(MetricRule(sources: sources).known).findings(in: files))
        expectNone(DocumentRule.tables(schema).findings(in: files))
        expectNone(ColumnRule.findings(in: files, schema: schema))
        expectNone(AlertRule.findings(in: files))
        expectNone(RouteRule.findings(in: files))
        expectNone(NamedTestRule.findings(in: files))
    }

    @Test("Documents and samples name the program's settings, and the sample has them all")
    func settings() {
        expectNone(SettingRule(sources: Repository.swiftFiles).findings(in: Repository.files))
    }

    @Test("Alert rules name the program's metrics")
    func metrics() {
        let rule = MetricRule(sources: Repository.swiftFiles)
        #expect(rule.known.count > 10)
        expectNone(rule.findings(in: Repository.files))
    }
}
