import CCurl
import Glibc

/// The callbacks of libcurl for a hop; each calls the hop's `HopContext`.
///
/// Loop thread only.
///
/// The context is passed unretained: the `EasyHandle` with the callbacks holds it.
enum HopCallbacks {
    static func install(on easy: UnsafeMutableRawPointer, context: HopContext) {
        let data = unsafe Unmanaged.passUnretained(context).toOpaque()
        unsafe ccurl_set_write(easy, CURLOPT_HEADERFUNCTION, receiveHeader)
        unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, data)
        unsafe ccurl_set_write(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, data)
        unsafe ccurl_set_opensocket(easy, openSocket)
        unsafe ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, data)
        unsafe ccurl_set_prereq(easy, beforeRequest)
        unsafe ccurl_set_pointer(easy, CURLOPT_PREREQDATA, data)
    }

    fileprivate static func context(_ data: UnsafeMutableRawPointer?) -> HopContext? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<HopContext>.fromOpaque(data).takeUnretainedValue()
    }
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?,
) -> Int {
    guard let context = unsafe HopCallbacks.context(data) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return context.headerArrived(unsafe [UInt8](line)) ? count : 0
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?,
) -> Int {
    guard let context = unsafe HopCallbacks.context(data) else { return Int(CURL_WRITEFUNC_ERROR) }
    switch unsafe context.bodyArrived(UnsafeRawBufferPointer(start: bytes, count: count)) {
    case .taken: return count
    case .pause: return Int(CURL_WRITEFUNC_PAUSE)
    case .abort: return Int(CURL_WRITEFUNC_ERROR)
    }
}

private func openSocket(
    _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ target: UnsafeMutablePointer<curl_sockaddr>?,
) -> curl_socket_t {
    guard let context = unsafe HopCallbacks.context(data), let target = unsafe target?.pointee else {
        return -1
    }
    // Only a client with such a socket has this family; its file was chosen by the program.
    if target.family == AF_UNIX {
        return socket(AF_UNIX, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol)
    }
    var address = target.addr
    let length = Int(target.addrlen)
    let endpoint = unsafe withUnsafeBytes(of: &address) { unsafe SocketAddress(reading: $0.prefix(length)) }
    guard let endpoint, context.mayConnect(to: endpoint) else { return -1 }
    // Child processes must not inherit the connection.
    return socket(target.family, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol)
}

private func beforeRequest(
    _ data: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32,
) -> Int32 {
    guard let context = unsafe HopCallbacks.context(data), let remote = unsafe remote else {
        return CURL_PREREQFUNC_ABORT
    }
    let peer = unsafe String(cString: remote)
    let own = unsafe local.map { unsafe String(cString: $0) } ?? ""
    let mayRequest = context.connected(to: peer, port: UInt16(clamping: remotePort), from: own)
    return mayRequest ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
