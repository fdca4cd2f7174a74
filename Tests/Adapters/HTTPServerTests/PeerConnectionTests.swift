import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Clients that read slowly")
struct PeerConnectionTests {
    @Test(
        "A client that reads a radio of 64 kb/s as it plays is fast enough, and one that reads nothing is not",
        arguments: [Limits().minimumRate, Limits().minimumRateWhenFull])
    func radio(slowest: ReceiveRate) throws {
        let link = try LoopbackLink()
        let peer = PeerConnection(
            descriptor: link.server, address: try #require(PeerAddress.reading("127.0.0.1")), deadline: .max)
        let time = Int64(slowest.over / .nanoseconds(1))
        link.fill()
        #expect(!peer.isSlow(at: 0, slowest))
        try link.read(8_000 * Int(slowest.over / .seconds(1)))
        #expect(!peer.isSlow(at: time, slowest))
        #expect(peer.isSlow(at: 2 * time, slowest))
    }

    @Test("A client that has taken what there was is not slow while little comes")
    func quiet() {
        let slowest = Limits().minimumRate
        func progress(_ seconds: Int64, _ received: UInt64, _ waiting: UInt64) -> PeerConnection.Progress {
            PeerConnection.Progress(time: seconds * 1_000_000_000, received: received, waiting: waiting)
        }
        let first = progress(0, 100_000, 188)
        // A packet in ten seconds.
        #expect(!progress(300, 105_640, 188).isSlow(since: first, slowest))
        // Much is there to take.
        #expect(progress(300, 105_640, 5000).isSlow(since: first, slowest))
        // What was there is still there.
        #expect(progress(300, 100_100, 88).isSlow(since: first, slowest))
    }
}

/// Both ends of a connection on loopback; what the client has not read waits in small buffers.
private final class LoopbackLink {
    let server: Int32
    private let client: Int32

    init() throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        let reading = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        client = reading
        var buffer: Int32 = 16 << 10
        setsockopt(reading, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listening, name, size) == 0 && listen(listening, 1) == 0
                    && getsockname(listening, name, &size) == 0 && connect(reading, name, size) == 0
            }
        }
        server = isConnected ? accept(listening, nil, nil) : -1
        guard server >= 0 else { throw TestFailure("no connection on loopback") }
    }

    deinit {
        close(server)
        close(client)
    }

    /// Sends until no more fits.
    func fill() {
        let bytes = [UInt8](repeating: 7, count: 65_536)
        while send(server, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) > 0 {}
    }

    /// Reads so many bytes, while as many are sent again.
    func read(_ count: Int) throws {
        var (bytes, left) = ([UInt8](repeating: 0, count: 4096), count)
        while left > 0 {
            let received = recv(client, &bytes, min(left, bytes.count), 0)
            guard received > 0 else { throw TestFailure("the connection ended") }
            left -= received
            fill()
        }
    }
}
