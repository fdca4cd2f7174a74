import Files
import HTTP

/// Bytes in memory with a descriptor, as whoever sends an object wants one: a file that has no name any more.
final class MemoryFile: OpenFile {
    private let file: DescriptorHandle<StoreError>
    let byteCount: UInt64

    var descriptor: Int32 { file.number }

    init(_ bytes: [UInt8]) throws(StoreError) {
        file = try Disk<StoreError>().openNameless()
        byteCount = UInt64(bytes.count)
        try file.write(bytes)
    }
}
