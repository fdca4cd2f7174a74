import Glibc
import Synchronization

/// The open connections: their number, their number per address, and their deadlines.
///
/// The library reports every connection here before it reads from it and removes it before it closes the
/// socket, so a descriptor found under the lock belongs to that connection.
final class ConnectionTable: Sendable {
    private struct State {
        var open: [Int32: PeerConnection] = [:]
        var counts: [PeerAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limitPerAddress: Int
    private let proxies: TrustedProxies

    init(limitPerAddress: Int, proxies: TrustedProxies) {
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    var count: Int { state.withLock { $0.open.count } }

    /// Whether another connection from this address may be accepted; two concurrent calls may both return
    /// true.
    func admits(_ address: PeerAddress) -> Bool {
        if proxies.contains(address) { return true }
        return state.withLock { $0.counts[address.countingKey, default: 0] < limitPerAddress }
    }

    func insert(_ connection: PeerConnection) {
        state.withLock {
            $0.open[connection.descriptor] = connection
            $0.counts[connection.address.countingKey, default: 0] += 1
        }
    }

    func remove(_ connection: PeerConnection) {
        state.withLock {
            $0.open[connection.descriptor] = nil
            let key = connection.address.countingKey
            let rest = $0.counts[key, default: 1] - 1
            $0.counts[key] = rest > 0 ? rest : nil
        }
    }

    /// Shuts down connections past their deadline; the library notices and closes them.
    func shutDownOverdue(at now: Int64) -> Int {
        shutDown { $0.isOverdue(at: now) }
    }

    /// Shuts down connections whose client takes its answer too slowly.
    func shutDownSlow(at now: Int64, _ slowest: ReceiveRate) -> Int {
        shutDown { $0.isBusy && $0.isSlow(at: now, slowest) }
    }

    /// Shuts down connections that wait for a request.
    func shutDownIdle() {
        _ = shutDown { !$0.isBusy }
    }

    private func shutDown(where condition: (PeerConnection) -> Bool) -> Int {
        state.withLock { state in
            var count = 0
            for connection in state.open.values where condition(connection) {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
                connection.setDeadline(PeerConnection.never)
                count += 1
            }
            return count
        }
    }
}
