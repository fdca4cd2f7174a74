import Dispatch
import Foundation

/// A file of host names, a line each, that only grows.
final class HostFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "backcast.hosts")

    init(_ path: String) {
        self.path = path
    }

    /// The names in the file; none when it cannot be read.
    var hosts: [String] {
        guard let handle = FileHandle(forReadingAtPath: path),
            let bytes = try? handle.read(upToCount: Limits.hostFileByteCount)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Appends a name; returns at once.
    func append(_ host: String) {
        queue.async { [path] in
            let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
            let descriptor = unsafe open(path, flags, 0o600)
            guard descriptor >= 0 else { return }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try? handle.write(contentsOf: Data((host + "\n").utf8))
        }
    }
}
