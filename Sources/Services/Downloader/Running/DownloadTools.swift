import Concurrency
import Files
import HTTP
import HTTPClient

/// How a process downloads: the same for all of its tasks.
package struct DownloadOptions: Sendable {
    /// Transfers at once, of all tasks.
    package var parallel = 4
    /// Tasks at once.
    package var tasks = 2
    /// Bytes per second, of all tasks; nil without a limit.
    package var bytesPerSecond: Int?
    /// How long a task waits for the network before it fails.
    package var networkTimeout = Duration.seconds(300)

    package init() {}
}

/// What the tasks of one process share.
struct DownloadTools: Sendable {
    let options: DownloadOptions
    let client: HTTPClient
    let clock: HostClock
    let transfers: AsyncSemaphore
    let gate: DemandGate
    let rateLimiter: RateLimiter
    let disk: Disk<DownloadError>
    let work = FileWork()
    let policy: AddressPolicy

    init(
        options: DownloadOptions, client: HTTPClient, clock: HostClock,
        disk: Disk<DownloadError> = Disk(), policy: AddressPolicy = AddressPolicy(),
    ) {
        self.options = options
        self.client = client
        self.clock = clock
        self.disk = disk
        self.policy = policy
        transfers = AsyncSemaphore(permits: max(options.parallel, 1))
        gate = DemandGate(clock: clock)
        rateLimiter = RateLimiter(bytesPerSecond: options.bytesPerSecond, clock: clock)
    }

    /// The folder of a task.
    func folder(_ path: String) -> TaskFolder { TaskFolder(path, disk: disk, work: work) }

    /// A session for a task: its header fields, cookies and address policy.
    func session(for request: DownloadRequest) throws(DownloadError) -> HTTPSession {
        var session = SessionOptions(source: try request.fullURL().absoluteString, addressPolicy: policy)
        session.allowInvalidCertificate = request.allowsInvalidCertificate
        for field in request.headers {
            if field.name.lowercased() == "user-agent" {
                session.userAgent = field.value
            } else {
                session.headers.append(field.name, field.value)
            }
        }
        do {
            return try client.makeSession(session)
        } catch {
            throw .unusable("\(error)")
        }
    }
}
