import MediaFormat
import Timeline

/// How far each continuous run of a file is moved, found in the archive when it is needed.
///
/// Picture and sound in two renditions are moved together.
actor RunShifts {
    /// The first and last segment of each rendition in one continuous run; nil for one that has none there.
    typealias Ends = [(first: RecordedSegment, last: RecordedSegment)?]

    private let files: [FragmentedFile]
    private let runs: [Ends]
    private let index: FragmentIndex
    private var shifts = FragmentShifts()
    private var found: [[UInt32: Int64]] = []

    init(_ files: [FragmentedFile], runs: [Ends], _ index: FragmentIndex) {
        (self.files, self.runs, self.index) = (files, runs, index)
    }

    /// Of a file of one rendition.
    init(_ file: FragmentedFile, _ index: FragmentIndex) {
        self.init([file], runs: file.plan.continuous.all.map { [($0.first, $0.last)] }, index)
    }

    /// The ticks that are added to each track of a rendition in a continuous run.
    func ticks(ofRun wanted: Int, rendition: Int = 0) async throws -> [UInt32: Int64] {
        while found.count <= wanted {
            let run = found.count
            let lasts = run > 0 ? try await times(runs[run - 1], isWhole: true) : []
            let firsts = try await times(runs[run], isWhole: false)
            // Another request for the same run may have come first.
            guard found.count == run else { continue }
            shifts.end(lasts)
            shifts.begin(firsts)
            found.append(shifts.current)
        }
        let own = found[wanted].filter { Self.rendition(of: $0.key) == rendition }
        return Dictionary(uniqueKeysWithValues: own.map { ($0.key & Self.mask, $0.value) })
    }

    private func times(_ ends: Ends, isWhole: Bool) async throws -> [FragmentRewriter.TrackTimes] {
        var all: [FragmentRewriter.TrackTimes] = []
        for (number, (file, ends)) in zip(files, ends).enumerated() {
            guard let ends else { continue }
            let segment = isWhole ? ends.last : ends.first
            let times = try await index.times(
                of: segment, in: file.plan, file.opening.section, isWhole: isWhole)
            all += times.map { times in
                var times = times
                times.id = times.id & Self.mask | UInt32(number) << Self.bits
                return times
            }
        }
        return all
    }

    /// Track IDs are small numbers; the rendition is above them.
    private static let bits: UInt32 = 24
    private static let mask: UInt32 = 1 << bits - 1
    private static func rendition(of id: UInt32) -> Int { Int(id >> bits) }
}
