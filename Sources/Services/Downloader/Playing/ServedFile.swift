import Files
import Glibc
import HTTP

/// An open file of a task that a player reads.
package final class ServedFile: OpenFile {
    private let handle: DescriptorHandle<DownloadError>
    package let byteCount: UInt64
    /// Changes with the content: device, number, length and time of the last change.
    package let version: String

    init(_ handle: consuming DescriptorHandle<DownloadError>) throws(DownloadError) {
        let status = try handle.status()
        byteCount = UInt64(clamping: status.st_size)
        version =
            "\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec)-\(status.st_mtim.tv_nsec)"
        self.handle = handle
    }

    package var descriptor: Int32 { handle.number }

    package func read(at offset: UInt64, upTo count: Int) throws -> [UInt8] {
        try handle.read(at: Int64(clamping: offset), upTo: count)
    }
}
