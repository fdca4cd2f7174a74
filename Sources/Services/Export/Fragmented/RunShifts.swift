import MediaFormat
import Timeline

/// How far each continuous run of a file is moved, found in the archive when it is needed.
actor RunShifts {
    private let file: FragmentedFile
    private let index: FragmentIndex
    private var shifts = FragmentShifts()
    private var found: [[UInt32: Int64]] = []

    init(_ file: FragmentedFile, _ index: FragmentIndex) {
        (self.file, self.index) = (file, index)
    }

    /// The ticks that are added to each track in a continuous run.
    func ticks(ofRun wanted: Int) async throws -> [UInt32: Int64] {
        let runs = file.plan.continuous.all
        while found.count <= wanted {
            let run = found.count
            let lasts = run > 0 ? try await times(of: runs[run - 1].last, isWhole: true) : []
            let firsts = try await times(of: runs[run].first, isWhole: false)
            // Another request for the same run may have come first.
            guard found.count == run else { continue }
            shifts.end(lasts)
            shifts.begin(firsts, timescales: file.initSection.section.timescales)
            found.append(shifts.current)
        }
        return found[wanted]
    }

    private func times(
        of segment: RecordedSegment, isWhole: Bool,
    ) async throws -> [FragmentRewriter.TrackTimes] {
        try await index.times(of: segment, in: file.plan, file.initSection.section, isWhole: isWhole)
    }
}

extension InitSection {
    /// By track ID.
    fileprivate var timescales: [UInt32: UInt32] {
        Dictionary(
            tracks.map { (UInt32(clamping: $0.description.id), $0.timescale) },
            uniquingKeysWith: { first, _ in first })
    }
}
