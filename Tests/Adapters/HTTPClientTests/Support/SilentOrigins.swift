import Glibc

/// Origins that accept every connection and never answer: the kernel does all of it.
final class SilentOrigins: Sendable {
    let ports: [UInt16]
    private let listeners: [Int32]

    init(count: Int) throws {
        listeners = (0..<count).map { _ in
            socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        ports = try listeners.map { try $0.listen(on: "127.0.0.1") }
    }

    deinit {
        for listener in listeners { close(listener) }
    }
}
