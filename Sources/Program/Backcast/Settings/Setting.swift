/// Every setting of the program, named by its environment variable.
///
/// The flag and the key of the file follow from it: `BACKCAST_MIN_FREE`, `--min-free`, `min_free`.
enum Setting: String, CaseIterable, Sendable {
    case listen = "BACKCAST_LISTEN"
    case databaseURL = "BACKCAST_DATABASE_URL"
    case archive = "BACKCAST_ARCHIVE"
    case state = "BACKCAST_STATE"
    case adminToken = "BACKCAST_ADMIN_TOKEN"
    case adminListen = "BACKCAST_ADMIN_LISTEN"
    case adminHosts = "BACKCAST_ADMIN_HOSTS"
    case playbackSecret = "BACKCAST_PLAYBACK_SECRET"
    case trustedProxies = "BACKCAST_TRUSTED_PROXIES"
    case serverThreads = "BACKCAST_SERVER_THREADS"
    case publicURL = "BACKCAST_PUBLIC_URL"
    case canonical = "BACKCAST_CANONICAL"
    case remuxProcesses = "BACKCAST_REMUX_PROCESSES"
    case minFree = "BACKCAST_MIN_FREE"
    case deleteGrace = "BACKCAST_DELETE_GRACE"
    case migrations = "BACKCAST_MIGRATIONS"
    case maxWindow = "BACKCAST_MAX_WINDOW"
    case retention = "BACKCAST_RETENTION"
    case sourcesAllow = "BACKCAST_SOURCES_ALLOW"
    case sourcesProxy = "BACKCAST_SOURCES_PROXY"
    case accessLog = "BACKCAST_ACCESS_LOG"
    case logLevel = "BACKCAST_LOG_LEVEL"
    case logFormat = "BACKCAST_LOG_FORMAT"

    /// The variable that names the file of settings; the file itself cannot contain it.
    static let fileVariable = "BACKCAST_CONFIG"
    static let prefix = "BACKCAST_"

    /// The key in the file.
    var key: String { rawValue.dropFirst(Self.prefix.count).lowercased() }

    /// The flag without its dashes.
    var flag: String { String(key.map { $0 == "_" ? "-" : $0 }) }
}

extension Setting {
    /// How the program presents and treats a setting.
    struct Entry {
        /// The help text of the flag.
        var help: String
        /// Whether the value is a comma-separated list, which a file may also write as a YAML list.
        var isList = false
        /// Whether the value may not appear in a message.
        var isSecret = false
    }

    var entry: Entry {
        switch self {
        case .listen: Entry(help: "Address and port to listen on.")
        case .databaseURL:
            Entry(
                help: "libpq URI of the catalogue; put a password into the environment or a file instead.",
                isSecret: true)
        case .archive: Entry(help: "Folder of the recorded segments.")
        case .state: Entry(help: "Folder of the journal and of generated secrets.")
        case .adminToken:
            Entry(
                help: "Bearer token of the admin API; other users of the machine can see flags.",
                isSecret: true)
        case .adminListen: Entry(help: "A separate address for /api and /metrics.")
        case .adminHosts:
            Entry(help: "Names of the admin API beside addresses and local ones.", isList: true)
        case .playbackSecret:
            Entry(
                help: "Secrets of playback tokens, the first one for new ones; none: open playback.",
                isList: true, isSecret: true)
        case .trustedProxies:
            Entry(help: "Networks of proxies, whose X-Forwarded-For is believed.", isList: true)
        case .serverThreads: Entry(help: "Threads that answer viewers; as many as there are cores.")
        case .publicURL: Entry(help: "What URLs in lists for apps begin with, such as https://tv.example.")
        case .canonical: Entry(help: "Whether windows are redirected to one URL for caches: true or false.")
        case .remuxProcesses:
            Entry(help: "Processes of ffmpeg that pack downloads, and as many that make pictures.")
        case .minFree: Entry(help: "Bytes of the archive's disk that stay free, such as 20Gi.")
        case .deleteGrace: Entry(help: "Seconds that bytes outlive their entry in the catalogue.")
        case .migrations: Entry(help: "Folder of migrations instead of those in the program.")
        case .maxWindow: Entry(help: "Longest window, seconds.")
        case .retention: Entry(help: "How long new channels keep what is recorded, seconds.")
        case .sourcesAllow: Entry(help: "Hosts and networks that sources may point to.", isList: true)
        case .sourcesProxy: Entry(help: "Proxy through which sources are fetched.", isSecret: true)
        case .accessLog: Entry(help: "Whether each request is logged: true or false.")
        case .logLevel: Entry(help: "trace, debug, info, notice, warning, error or critical.")
        case .logFormat: Entry(help: "text or json.")
        }
    }
}
