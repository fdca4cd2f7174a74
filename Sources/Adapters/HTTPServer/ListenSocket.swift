import Glibc

/// A listening TCP socket, closed with its owner unless the library has taken it over.
struct ListenSocket: ~Copyable {
    private let descriptor: Int32
    /// The port, also when the kernel chose it.
    let port: UInt16

    private init(owning descriptor: Int32, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    deinit { close(descriptor) }

    /// Gives up ownership of the descriptor.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    static func open(_ address: ListenAddress) throws(HTTPServerError) -> ListenSocket {
        if let file = address.file { return try open(file, address) }
        guard let numeric = PeerAddress.reading(address.host) else {
            throw .unreadableAddress(address.host, reason: "it is not a numeric address")
        }
        let family = address.host.contains(":") ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen(address, errno: errno) }
        var number: Int32 = 0
        if !bindAndListen(descriptor, numeric, family: family, port: address.port, error: &number) {
            close(descriptor)
            throw number == EADDRINUSE ? .addressInUse(address) : .cannotListen(address, errno: number)
        }
        return ListenSocket(owning: descriptor, port: boundPort(of: descriptor) ?? address.port)
    }

    /// Opens a socket in the file system.
    ///
    /// It is named through its open folder, since its whole path may be longer than 107 bytes (unix(7)).
    private static func open(_ file: String, _ address: ListenAddress) throws(HTTPServerError) -> ListenSocket
    {
        let slash = file.lastIndex(of: "/")
        let path = slash.map { String(file[..<$0]) } ?? "."
        let folder = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .cannotListen(address, errno: errno) }
        defer { close(folder) }
        let name = "/proc/self/fd/\(folder)/" + file[(slash.map(file.index(after:)) ?? file.startIndex)...]
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen(address, errno: errno) }
        unsafe unlink(name)
        // The file gets the mode that its socket has.
        guard fchmod(descriptor, 0o600) == 0, bindFile(descriptor, name) == 0,
            listen(descriptor, Limits.backlog) == 0
        else {
            let number = errno
            close(descriptor)
            throw .cannotListen(address, errno: number)
        }
        return ListenSocket(owning: descriptor, port: 0)
    }

    private static func bindFile(_ descriptor: Int32, _ name: String) -> Int32 {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        let isShort = unsafe withUnsafeMutableBytes(of: &target.sun_path) { path in
            guard name.utf8.count < path.count else { return false }
            unsafe path.copyBytes(from: name.utf8)
            return true
        }
        guard isShort else {
            errno = ENAMETOOLONG
            return -1
        }
        return bound(descriptor, to: &target)
    }

    private static func bindAndListen(
        _ descriptor: Int32, _ address: PeerAddress, family: Int32, port: UInt16, error: inout Int32,
    ) -> Bool {
        // A restart must not wait for connections of the previous process (TIME_WAIT).
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let result =
            family == AF_INET6 ? bindSix(descriptor, address, port) : bindFour(descriptor, address, port)
        guard result == 0, listen(descriptor, Limits.backlog) == 0 else {
            error = errno
            return false
        }
        return true
    }

    private static func bindFour(_ descriptor: Int32, _ address: PeerAddress, _ port: UInt16) -> Int32 {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        four.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.low).bigEndian
        return bound(descriptor, to: &four)
    }

    private static func bindSix(_ descriptor: Int32, _ address: PeerAddress, _ port: UInt16) -> Int32 {
        var off: Int32 = 0
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &six.sin6_addr) { bytes in
            unsafe bytes.storeBytes(of: address.high.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return bound(descriptor, to: &six)
    }

    private static func bound<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe bind(
                descriptor, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<Address>.size))
        }
    }

    /// Both families have the port at the same offset, after the family.
    private static func boundPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe getsockname(
                descriptor, UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }
}
