import Concurrency
import Logging
import SegmentStore
import Timeline

/// Where the segments of one channel wait for their keys.
///
/// It asks for one key at a time, however many are missing.
actor KeyRoom {
    private let recorder: ChannelRecorder
    private let clock: HostClock
    private var queue = KeyQueue()
    private var fetchers: [SegmentIdentity: SegmentFetcher] = [:]

    init(recorder: ChannelRecorder) {
        self.recorder = recorder
        clock = recorder.parts.clock
    }

    /// Takes a segment in that the journal has.
    func add(_ segment: KeyPendingSegment, fetcher: SegmentFetcher) async {
        fetchers[segment.identity] = fetcher
        if let oldest = queue.add(segment, now: clock.steady()) {
            await giveUp(oldest, "too many segments wait for keys")
        }
    }

    /// Asks for keys until cancelled; what waits then is in the journal.
    func run() async {
        while !Task.isCancelled {
            for segment in queue.takeExpired(now: clock.steady()) {
                await giveUp(segment, "the key was not to be had for too long")
            }
            var pause = Duration.seconds(1)
            if let segment = queue.due(now: clock.steady()) {
                pause = await open(segment) ? .zero : Limits.keyBreath
            } else if let next = queue.next {
                pause = min(max(next - clock.steady(), .milliseconds(50)), .milliseconds(500))
            }
            if pause > .zero { try? await Task.sleep(for: pause) }
        }
    }

    /// - Returns: false when a key was asked for in vain
    private func open(_ segment: KeyPendingSegment) async -> Bool {
        guard let fetcher = fetchers[segment.identity] else { return true }
        do {
            let stored = try await fetcher.open(segment)
            try await recorder.keyCame(for: segment, stored)
            remove(segment, isOpened: true)
            await forgetBytes(of: segment, unless: stored.object.key)
            return true
        } catch {
            if Task.isCancelled { return false }
            return await failed(segment, error)
        }
    }

    private func failed(_ segment: KeyPendingSegment, _ error: any Error) async -> Bool {
        guard let failure = error as? FetchFailure else {
            queue.failed(segment, now: clock.steady())
            return true
        }
        if !failure.isTransient && failure.reason != .keyMissing {
            remove(segment, isOpened: false)
            await recorder.keyNeverCame(for: segment, failure)
        } else if failure.reason == .keyMissing && !failure.isUnopened {
            queue.missedKey(of: segment, now: clock.steady())
        } else {
            queue.failed(segment, now: clock.steady())
        }
        return failure.reason != .keyMissing
    }

    private func giveUp(_ segment: KeyPendingSegment, _ words: String) async {
        remove(segment, isOpened: false)
        await recorder.keyNeverCame(for: segment, FetchFailure(.keyMissing, words, isTransient: false))
        await forgetBytes(of: segment, unless: nil)
    }

    private func remove(_ segment: KeyPendingSegment, isOpened: Bool) {
        queue.remove(segment, isOpened: isOpened, now: clock.steady())
        fetchers[segment.identity] = nil
    }

    /// Bytes that nobody refers to any more; what stays here goes with its hour.
    private func forgetBytes(of segment: KeyPendingSegment, unless key: ArchiveKey?) async {
        guard segment.key != key else { return }
        do {
            try await recorder.parts.store.delete(segment.key)
        } catch {
            recorder.logger.warning(
                "A segment's encrypted bytes stay until their hour is forgotten",
                metadata: ["cause": "\(error)"])
        }
    }
}
