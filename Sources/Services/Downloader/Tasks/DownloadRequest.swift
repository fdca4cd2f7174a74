import HTTP
import Timeline

/// A download request, as it is stored in the folder of its task.
package struct DownloadRequest: Sendable, Equatable, Codable {
    /// With its query: it may hold a token, and is never printed.
    package var url: String
    package var id: String?
    package var title: String?
    package var labels: [String: String] = [:]
    package var format = DownloadFormat.folder
    package var quality = QualityChoice.best
    package var audio = TrackChoice.standard
    package var subtitles = TrackChoice.none
    /// The begin of a window of a Backcast channel, in any form that its interface reads.
    package var begin: String?
    /// With `begin` the length of the window, else how much is taken of a live playlist.
    package var duration: String?
    /// Whether the window was still growing when the task began; nil while unknown.
    ///
    /// True stays true: a growing window (`mode=event`) has other segment numbers than a finished one.
    var isGrowing: Bool?
    /// The part of a finished presentation that is taken.
    package var range: TimeRange?
    /// Header fields for the URL's own origin; their values are secrets.
    package var headers: [Field] = []
    /// Whether segments are stored without their encryption.
    package var decrypts = false
    package var allowsInvalidCertificate = false

    package struct Field: Sendable, Equatable, Codable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(url: String) {
        self.url = url
    }

    /// Whether segments are stored without their encryption.
    var storesClear: Bool { decrypts || format != .folder }

    /// The URL to ask, with the parameters of the window.
    func fullURL() throws(DownloadError) -> HTTPURL {
        do {
            var text = try HTTPURL(url).absoluteString
            if let begin {
                var items = ["begintime=\(PercentEncoding.encoded(begin))"]
                if let duration { items.append("duration=\(PercentEncoding.encoded(duration))") }
                if isGrowing == true { items.append("mode=event") }
                text += (text.contains("?") ? "&" : "?") + items.joined(separator: "&")
            }
            return try HTTPURL(text)
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// Whether a text can be the begin of a window.
    package static func isBegin(_ text: String) -> Bool { InstantReading.reading(text) != nil }

    /// Whether a text is a duration above 0.
    package static func isDuration(_ text: String) -> Bool {
        DurationReading.microseconds(reading: text).map { $0 > 0 } ?? false
    }

    /// The forms of a begin, for an error message.
    package static var beginForms: String { InstantReading.formats }

    /// The length of the window; nil without a window, and for one without an end.
    var windowMicroseconds: Int64? {
        begin == nil ? nil : duration.flatMap(DurationReading.microseconds(reading:))
    }

    /// Seconds from the first segment that are taken; nil for all, and for a window, whose server cuts it.
    var limit: Double? {
        guard begin == nil, let duration else { return nil }
        return DurationReading.microseconds(reading: duration).map { Double($0) / 1_000_000 }
    }

    /// The first option, by name, that differs from another request's; nil when none does.
    func difference(from other: DownloadRequest) -> String? {
        let same = [
            "format": format == other.format, "quality": quality == other.quality,
            "audio": audio == other.audio, "subtitles": subtitles == other.subtitles,
            "begin": begin == other.begin, "duration": duration == other.duration,
            "range": range == other.range, "decrypt": decrypts == other.decrypts,
        ]
        return same.filter { !$0.value }.keys.min()
    }

    /// Whether another request takes something else, whatever form the result has.
    func differsInContent(from other: DownloadRequest) -> Bool {
        var other = other
        other.format = format
        return difference(from: other) != nil
    }

    /// Whether another request for the same path has the same query: that may name another presentation.
    func hasSameQuery(as other: DownloadRequest) -> Bool {
        (try? HTTPURL(url))?.query == (try? HTTPURL(other.url))?.query
    }

    /// The id of the task, given or made.
    func taskID() throws(DownloadError) -> String {
        if let id {
            guard TaskID.isValid(id) else { throw .unusable("\(id) is not an id: \(TaskID.rule)") }
            return id
        }
        let words = [begin, duration, range?.description].compactMap(\.self)
        return try TaskID.made(for: fullURL(), words: words)
    }
}

/// The form of the result.
package enum DownloadFormat: String, Sendable, Codable, CaseIterable {
    /// Playlists and a file for each segment.
    case folder
    /// One transport stream.
    case ts
    /// One MP4 file, packed by ffmpeg.
    case mp4
}

/// A part of a presentation by the time from its start: `0:10:00-0:20:00`.
package struct TimeRange: Sendable, Equatable, Codable, CustomStringConvertible {
    /// Seconds.
    var begin: Double
    /// Seconds.
    var end: Double

    /// Reads two times of the form `[[h:]m:]s`; nil unless the second is later.
    package init?(_ text: String) {
        let sides = text.split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, let begin = Self.seconds(sides[0]), let end = Self.seconds(sides[1]),
            begin < end
        else { return nil }
        (self.begin, self.end) = (begin, end)
    }

    package var description: String { "\(Int(begin))-\(Int(end))" }

    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var sum = 0.0
        for (index, part) in parts.enumerated() {
            guard let first = part.utf8.first, (0x30...0x39).contains(first), let value = Double(part),
                value.isFinite, value < 1_000_000, index == 0 || value < 60
            else { return nil }
            sum = sum * 60 + value
        }
        return sum
    }
}
