package import HTTP
import MediaFormat
import Processes
package import SegmentStore

/// Makes one file of a window from the archive, while it is being sent.
package struct WindowExport: Sendable {
    let store: any SegmentStore
    private let permits: RemuxPermits
    private let fragments: FragmentIndex
    private let ffmpeg: String

    /// At most `remuxProcesses` windows are packed at a time, by the program `ffmpeg`.
    package init(store: any SegmentStore, remuxProcesses: Int = 2, ffmpeg: String = "ffmpeg") {
        (self.store, self.ffmpeg) = (store, ffmpeg)
        permits = RemuxPermits(remuxProcesses)
        fragments = FragmentIndex(store: store)
    }

    /// A range of a transport stream, for one reader.
    ///
    /// The range must lie within the plan's `byteCount`. Reading throws when the archive does not hold what
    /// the plan needs: the connection is then cut, so that the client sees that the file is not complete.
    package func body(
        of plan: TransportStreamPlan, offset: UInt64, byteCount: UInt64,
    ) -> any HTTPBodySource {
        TransportStreamBody(plan: plan, store: store, offset: offset, byteCount: byteCount)
    }

    /// A transport stream for one reader: the plan `first`, then the parts that `following` returns.
    ///
    /// `following` is called when everything before has been read, and may wait for a while. `.end` ends the
    /// stream. The reader gets an empty piece for `.nothingYet` and a null packet for `.quiet`.
    package func body(
        first: TransportStreamPlan, following: @escaping @Sendable () async throws -> FollowingPart,
    ) -> any HTTPBodySource {
        GrowingStreamBody(first: first, store: store, following: following)
    }

    /// The window as ffmpeg packs it, for one reader.
    ///
    /// ffmpeg starts with the first byte and is ended with the body. Reading throws when the archive lacks a
    /// segment or ffmpeg fails. A body that is not read, for an answer without content, takes no permit.
    package func body(of plan: RemuxPlan, isRead: Bool = true) throws(ExportError) -> RemuxBody {
        if let missing = ProgramFile.missing(toRun: ffmpeg) { throw .noFFmpeg(missing: missing) }
        let permit = isRead ? permits.take() : nil
        guard permit != nil || !isRead && permits.hasFree else { throw .noFreeProcess }
        let feed = RemuxFeed(plan: plan, store: store, index: fragments)
        return RemuxBody(plan: plan, feed: feed, permit: permit, ffmpeg: ffmpeg)
    }

    /// Completes a plan with facts from the archive, which are cached after the first read.
    package func file(of plan: FragmentedPlan) async throws(ExportError) -> FragmentedFile {
        do {
            let initSection = try await fragments.initSection(of: plan)
            var firsts: [[FragmentRewriter.TrackTimes]] = []
            for run in plan.continuous.all {
                firsts.append(
                    try await fragments.times(of: run.first, in: plan, initSection.section, isWhole: false))
            }
            return FragmentedFile(plan, initSection, firsts: firsts)
        } catch let error as StoreError {
            guard case .system = error else { throw .notPacked("\(error)") }
            throw .unreadable("\(error)")
        } catch {
            throw .notPacked("\(error)")
        }
    }

    /// A range of a file, for one reader.
    ///
    /// The range must lie within the file's `byteCount`. Reading throws when the archive does not hold what
    /// the file needs.
    package func body(
        of file: FragmentedFile, offset: UInt64, byteCount: UInt64,
    ) -> any HTTPBodySource {
        FragmentedBody(file, fragments, store: store, offset: offset, byteCount: byteCount)
    }
}
