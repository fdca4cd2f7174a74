import Concurrency
import Glibc
import Synchronization

/// Looks up the addresses of servers.
///
/// `getaddrinfo` has no time limit: it blocks for many seconds if no name server answers. So each lookup has
/// its own thread, and connections that need the same name wait for the same lookup: at most one runs for
/// each name.
final class AddressLookups: Sendable {
    /// The addresses of a name as text, or why there are none.
    enum Outcome: Sendable {
        case found([String])
        case failed(String)
    }

    private final class Lookup: Sendable {
        /// The result, and until when it may be used; nil while the lookup runs.
        private let result = Mutex<(outcome: Outcome, freshUntil: SteadyInstant)?>(nil)
        /// Readable when the lookup has ended; never drained, so that it ends every wait.
        let end: WakePipe

        init() throws(PostgresError) {
            end = try WakePipe()
        }

        var outcome: Outcome? { result.withLock { $0?.outcome } }

        func isUsable(at now: SteadyInstant) -> Bool {
            result.withLock { $0.map { now < $0.freshUntil } ?? true }
        }

        /// Addresses are fresh for a while, a failure only for those who wait for it.
        func finish(_ outcome: Outcome, at now: SteadyInstant) {
            let time: Duration = if case .found = outcome { Limits.lookupTime } else { .zero }
            result.withLock { $0 = (outcome, now + time) }
            end.wake()
        }
    }

    static let ofProcess = AddressLookups()

    /// Those that run, and those that have found addresses lately.
    private let lookups = Mutex<[String: Lookup]>([:])
    private let resolver: @Sendable (String) -> Outcome

    init(resolver: @escaping @Sendable (String) -> Outcome = AddressLookups.systemAddresses) {
        self.resolver = resolver
    }

    /// At most `Limits.addresses` of a name, in the order in which the system prefers them.
    ///
    /// Throws `unreachable` if there are none or the wait expires, `cancelled` if it is interrupted. The
    /// lookup continues after that.
    func addresses(
        of host: String, _ wait: SocketWait, by clock: HostClock,
    ) throws(PostgresError) -> [String] {
        let lookup = try start(host, by: clock)
        switch wait.untilReady(for: POLLIN, on: lookup.end.readEnd) {
        case .interrupted: throw .cancelled
        case .expired: throw PostgresError(.unreachable, "the addresses of \(host) were not found in time")
        case .ready: break
        }
        switch lookup.outcome {
        case .found(let addresses) where !addresses.isEmpty: return addresses
        case .failed(let reason): throw PostgresError(.unreachable, "no address of \(host): \(reason)")
        case .found, nil: throw PostgresError(.unreachable, "no address of \(host)")
        }
    }

    /// The lookup of the name that runs or has ended lately, or a new one.
    ///
    /// A lookup may end just after all that waited for it have given up: the next attempt uses its result.
    private func start(_ host: String, by clock: HostClock) throws(PostgresError) -> Lookup {
        let new = try Lookup()
        let present = lookups.withLock { lookups -> Lookup? in
            if let present = lookups[host], present.isUsable(at: clock.steady()) { return present }
            lookups[host] = new
            return nil
        }
        if let present { return present }
        BlockingExecutor(label: "postgres-lookup").run { [resolver, clock] in
            let outcome = resolver(host)
            new.finish(outcome, at: clock.steady())
        }
        return new
    }
}

extension AddressLookups {
    /// The addresses that the system finds; blocks the thread.
    static func systemAddresses(of host: String) -> Outcome {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else { return .failed(unsafe String(cString: gai_strerror(status))) }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [String] = []
        var next = unsafe first
        while let entry = unsafe next?.pointee, addresses.count < Limits.addresses {
            if let text = unsafe text(of: entry) { addresses.append(text) }
            unsafe next = entry.ai_next
        }
        return .found(addresses)
    }

    private static func text(of entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: Limits.addressByteCount)
        let status = unsafe getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
