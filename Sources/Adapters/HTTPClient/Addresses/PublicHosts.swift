import Synchronization

/// The source hosts that were seen at a public address, for all sessions.
///
/// It never reverts: a public name that resolves to a private address later is refused, also in another
/// session and, where the owner keeps the names, after a restart.
package final class PublicHosts: Sendable {
    private let hosts: Mutex<Set<String>>
    private let onNew: @Sendable (String) -> Void

    /// Begins with the hosts that are known; `onNew` gets each other one once, on the client's thread, and
    /// must not wait.
    package init(known: some Sequence<String> = [], onNew: @escaping @Sendable (String) -> Void = { _ in }) {
        hosts = Mutex(Set(known.prefix(Limits.publicHosts)))
        self.onNew = onNew
    }

    func contains(_ host: String) -> Bool {
        hosts.withLock { $0.contains(host) }
    }

    func insert(_ host: String) {
        let isNew = hosts.withLock { $0.count < Limits.publicHosts && $0.insert(host).inserted }
        if isNew { onNew(host) }
    }
}
