import HTTP
import Playback
import Timeline

/// The query of a picture or a thumbnail track, beside what every window has.
struct PictureParameters {
    private let reader: ParameterReader

    init(query: String?, zone: @escaping InstantReading.Zone) throws(ParameterError) {
        let own: Set = ["time", "width", "step"]
        reader = try ParameterReader(query: query, known: own.union(["rendition"]), zone: zone)
        if let name = reader.items.repeatedNames.first(where: own.contains) {
            throw ParameterError(name, "\(name) is given more than once")
        }
    }

    init(_ asked: RequestedWindow) throws(ParameterError) {
        try self.init(query: asked.request.query, zone: WindowHandler.zone(of: asked.channel))
    }

    func time() throws(ParameterError) -> Instant {
        guard let time = try reader.instant("time") else {
            throw ParameterError("time", "a picture needs time")
        }
        return time
    }

    /// What a picture shows.
    func requestedTime() throws(ParameterError) -> RequestedTime {
        .picture(try reader.rendition(), try time())
    }

    /// Pixels; nil if the query has none.
    ///
    /// Odd ones are rounded down.
    func width() throws(ParameterError) -> Int? {
        guard let text = reader.items["width"] else { return nil }
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let width = Int(text), Limits.pictureWidths.contains(width)
        else {
            throw ParameterError(
                "width",
                "width must be a number of pixels from \(Limits.pictureWidths.lowerBound) to "
                    + "\(Limits.pictureWidths.upperBound)")
        }
        return width / 2 * 2
    }

    /// How long each cue lasts, microseconds; nil if the query does not say it.
    func step() throws(ParameterError) -> Int64? {
        guard let step = try reader.duration("step", allowsZero: false) else { return nil }
        let seconds = Limits.stepSeconds
        guard step >= seconds.lowerBound * Microseconds.perSecond,
            step <= seconds.upperBound * Microseconds.perSecond
        else {
            throw ParameterError(
                "step", "step must be from \(seconds.lowerBound) to \(seconds.upperBound) seconds")
        }
        return step
    }

    /// How long each cue of a window lasts unless the query says, microseconds: longer where the window would
    /// have too many.
    static func defaultStep(of window: TimeWindow) -> Int64 {
        let longest = Limits.cues * Microseconds.perSecond
        let seconds = (window.microseconds + longest - 1) / longest
        return max(Limits.defaultStepSeconds, seconds) * Microseconds.perSecond
    }
}
