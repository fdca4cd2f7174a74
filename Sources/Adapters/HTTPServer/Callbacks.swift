import CMicrohttpd
import Glibc
import HTTP
import Logging

// Callbacks of the library, on its threads. The context is the `ServerCore` that `DaemonHandle` retains; a
// connection's context is its `PeerConnection`, a request's is its `Exchange`.

func acceptConnection(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t,
) -> MHD_Result {
    guard let core = unsafe core(context), let address = unsafe PeerAddress(address) else { return .NO }
    if core.isStopping { return .NO }
    if core.connections.admits(address) { return .YES }
    core.logger.debug(
        "Refused a connection: too many from one address", metadata: ["address": "\(address)"])
    return .NO
}

/// A connection begins or ends: its context is retained by the first call and released by the second.
func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?,
    _ stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode,
) {
    guard let core = unsafe core(context), let pointer = unsafe pointer, let stored = unsafe stored else {
        return
    }
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        let handle = unsafe ConnectionHandle(pointer)
        guard let address = handle.peerAddress else { return }
        let deadline = monotonicNanoseconds() + core.limits.header.nanoseconds
        let peer = PeerConnection(descriptor: handle.descriptor, address: address, deadline: deadline)
        core.connections.insert(peer)
        unsafe stored.pointee = Unmanaged.passRetained(peer).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let opaque = unsafe stored.pointee else { return }
        let peer = unsafe Unmanaged<PeerConnection>.fromOpaque(opaque).takeRetainedValue()
        unsafe stored.pointee = nil
        core.connections.remove(peer)
    @unknown default: return
    }
}

/// The request line has been read: the target is copied as sent, and the library gets it without its query.
///
/// The exchange returned here is released in `finishRequest`.
func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ pointer: OpaquePointer?,
) -> UnsafeMutableRawPointer? {
    guard let core = unsafe core(context), let pointer = unsafe pointer else { return nil }
    let connection = unsafe ConnectionHandle(pointer)
    guard let peer = connection.peer else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: target, count: target.map { unsafe strlen($0) } ?? 0)
    let exchange = unsafe Exchange(core: core, connection: connection, peer: peer, target: Array(bytes))
    unsafe truncateQuery(of: target)
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

/// Ends the query where it begins, in the library's buffer.
///
/// The library would keep a record of 64 bytes for each parameter, and close the connection without an
/// answer when its memory is full. It looks for the "?" before this callback and splits the query after it.
private func truncateQuery(of target: UnsafePointer<CChar>?) {
    guard let target = unsafe target, let mark = unsafe strchr(target, Int32(UInt8(ascii: "?"))) else {
        return
    }
    unsafe mark[1] = 0
}

/// The request has been answered or has failed.
func finishRequest(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?,
    _ stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode,
) {
    guard let opaque = unsafe stored?.pointee else { return }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
    unsafe stored?.pointee = nil
    exchange.finished(isComplete: code == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// Called with the header, each piece of the body, the complete request, and after a resume.
func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
) -> MHD_Result {
    guard let opaque = unsafe stored?.pointee, let uploadSize = unsafe uploadSize else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
    if let target = exchange.unreadTarget {
        guard let url = unsafe url, let method = unsafe method, let version = unsafe version else {
            return .NO
        }
        let raw = unsafe RawRequest(
            connection: exchange.connection, method: method, url: url, version: version, target: target)
        return exchange.headerArrived(raw)
    }
    let count = unsafe uploadSize.pointee
    if count == 0 { return exchange.requestArrived() }
    unsafe uploadSize.pointee = 0
    return unsafe exchange.bodyArrived(UnsafeRawBufferPointer(start: upload, count: count))
}

/// Leaves targets as they were sent, without decoding.
func keepEscapes(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?,
) -> Int {
    guard let text = unsafe text else { return 0 }
    return unsafe strlen(text)
}

/// Logs the library's messages, most of which report client errors.
func logMessage(
    _ context: UnsafeMutableRawPointer?, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {
    guard let core = unsafe core(context), core.logger.logLevel <= .debug else { return }
    guard let format = unsafe format, let arguments = unsafe arguments else { return }
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
        guard let start = buffer.baseAddress, unsafe vsnprintf(start, buffer.count, format, arguments) >= 0
        else {
            return ""
        }
        return unsafe String(cString: start)
    }
    core.logger.debug("Message of libmicrohttpd: \(text.split(separator: "\n").joined(separator: " "))")
}

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
}
