import CMicrohttpd
import Glibc

/// A borrowed connection of the library: valid inside its callbacks and while it is suspended.
///
/// Unchecked because the library defines the allowed callers: `resume` from any thread, everything else from
/// the callback that received the connection.
@safe struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    func resume() {
        unsafe MHD_resume_connection(pointer)
    }

    var descriptor: Int32 { unsafe backcast_connection_socket(pointer) }

    var peerAddress: PeerAddress? {
        unsafe PeerAddress(backcast_connection_address(pointer))
    }

    /// The context that was stored when the connection was accepted.
    var peer: PeerConnection? {
        guard let context = unsafe backcast_connection_context(pointer) else { return nil }
        return unsafe Unmanaged<PeerConnection>.fromOpaque(context).takeUnretainedValue()
    }

    /// Bytes of the request line and header, including the empty line.
    var headerByteCount: Int { unsafe backcast_connection_header_size(pointer) }

    /// The status that the library has queued, also for its own answers; nil before.
    var queuedStatus: Int? {
        let status = unsafe backcast_connection_status(pointer)
        return status == 0 ? nil : Int(status)
    }
}

extension PeerAddress {
    /// Reads the address of a socket address of either family; nil for any other.
    init?(_ pointer: UnsafePointer<sockaddr>?) {
        guard let pointer = unsafe pointer else { return nil }
        let raw = unsafe UnsafeRawPointer(pointer)
        switch unsafe Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let four = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            self.init(fourBytes: UInt32(bigEndian: four.sin_addr.s_addr))
        case AF_INET6:
            self.init(unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        case AF_UNIX:
            // Only processes of this machine can open the file.
            self.init(fourBytes: 0x7F00_0001)
        default: return nil
        }
    }
}
