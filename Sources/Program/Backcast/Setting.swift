/// Every setting of the program by the name of its environment variable.
///
/// The flag and the key of the file follow from it: `BACKCAST_MIN_FREE`, `--min-free`, `min_free`.
enum Setting: String, CaseIterable, Sendable {
    case listen = "BACKCAST_LISTEN"
    case databaseURL = "BACKCAST_DATABASE_URL"
    case archive = "BACKCAST_ARCHIVE"
    case s3Endpoint = "BACKCAST_S3_ENDPOINT"
    case s3Region = "BACKCAST_S3_REGION"
    case s3AccessKey = "BACKCAST_S3_ACCESS_KEY"
    case s3SecretKey = "BACKCAST_S3_SECRET_KEY"
    case state = "BACKCAST_STATE"
    case adminToken = "BACKCAST_ADMIN_TOKEN"
    case playbackSecret = "BACKCAST_PLAYBACK_SECRET"
    case adminListen = "BACKCAST_ADMIN_LISTEN"
    case publicURL = "BACKCAST_PUBLIC_URL"
    case trustedProxies = "BACKCAST_TRUSTED_PROXIES"
    case minFree = "BACKCAST_MIN_FREE"
    case deleteGrace = "BACKCAST_DELETE_GRACE"
    case migrations = "BACKCAST_MIGRATIONS"
    case maxWindow = "BACKCAST_MAX_WINDOW"
    case retention = "BACKCAST_RETENTION"
    case sourcesAllow = "BACKCAST_SOURCES_ALLOW"
    case sourcesProxy = "BACKCAST_SOURCES_PROXY"
    case logLevel = "BACKCAST_LOG_LEVEL"
    case logFormat = "BACKCAST_LOG_FORMAT"

    /// The variable that names the file of settings; it cannot stand in that file.
    static let fileVariable = "BACKCAST_CONFIG"
    static let prefix = "BACKCAST_"

    /// The key in the file.
    var key: String { rawValue.dropFirst(Self.prefix.count).lowercased() }

    /// Whether its value is a list with commas between, which a file may write as one.
    var isList: Bool {
        switch self {
        case .trustedProxies, .sourcesAllow, .playbackSecret: true
        default: false
        }
    }

    /// The flag without its dashes.
    var flag: String { String(key.map { $0 == "_" ? "-" : $0 }) }
}
