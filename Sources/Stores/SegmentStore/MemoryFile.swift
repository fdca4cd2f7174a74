import Glibc
import HTTP

/// Bytes in memory with a descriptor, as whoever sends an object wants one: a file that has no name any more.
final class MemoryFile: OpenFile {
    private let file: DescriptorHandle
    let byteCount: UInt64

    var descriptor: Int32 { file.number }

    init(_ bytes: [UInt8]) throws(StoreError) {
        var path = Array("/tmp/backcast-object-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&path)
        guard number >= 0 else { throw StoreError(.open, "/tmp", number: errno) }
        file = DescriptorHandle(owning: number, path: "/tmp")
        byteCount = UInt64(bytes.count)
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0, unsafe unlink(path) == 0
        else { throw StoreError(.remove, "/tmp", number: errno) }
        try file.write(bytes)
    }
}
