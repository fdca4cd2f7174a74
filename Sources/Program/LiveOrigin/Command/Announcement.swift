import Foundation
import Synchronization

/// Reports once, on standard output, that every channel can be played.
final class Announcement: Sendable {
    private let channels: [Channel]
    private let root: String
    private let isMade = Mutex(false)

    init(channels: [Channel], root: String) {
        self.channels = channels
        self.root = root
    }

    /// Reports as soon as all channels can be played; called after each step.
    func stepDone() {
        let isDue = isMade.withLock { isMade in
            guard !isMade, channels.allSatisfy({ $0.state.withLock { $0.isReady } }) else { return false }
            isMade = true
            return true
        }
        guard isDue else { return }
        let urls = channels.map { "\(root)/\($0.name)/index.m3u8" }.joined(separator: " ")
        FileHandle.standardOutput.write(Data("Ready: \(urls)\n".utf8))
    }
}
