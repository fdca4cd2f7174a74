/// A media playlist and its properties (EXT-X-STREAM-INF, EXT-X-I-FRAME-STREAM-INF).
package struct VariantStream: Sendable, Hashable {
    /// The closed captions of a variant: a group, or the statement that there are none.
    package enum ClosedCaptions: Sendable, Hashable {
        case none
        case group(String)
    }

    package struct Resolution: Sendable, Hashable {
        /// Pixels.
        package var width: Int
        /// Pixels.
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    package var uri: String
    /// Peak bits per second; 0 when the playlist gives none.
    package var bandwidth: Int
    /// Bits per second.
    package var averageBandwidth: Int?
    package var score: Double?
    package var codecs: String?
    package var supplementalCodecs: String?
    package var resolution: Resolution?
    /// Frames per second, written with at most six digits.
    package var frameRate: Double?
    package var hdcpLevel: String?
    package var allowedCPC: String?
    package var videoRange: String?
    package var requiredVideoLayout: String?
    package var stableVariantID: String?
    package var audioGroup: String?
    package var videoGroup: String?
    package var subtitlesGroup: String?
    package var closedCaptions: ClosedCaptions?
    package var pathwayID: String?
    package var name: String?
    package var programID: Int?
    package var otherAttributes = AttributeList()

    package init(uri: String, bandwidth: Int) {
        self.uri = uri
        self.bandwidth = bandwidth
    }
}

extension VariantStream.Resolution {
    /// Reads `1920x1080`.
    init?(_ text: String) {
        var cursor = ByteCursor(Array(text.utf8)[...])
        guard let width = cursor.unsigned(), cursor.skip(0x78) || cursor.skip(0x58),
            let height = cursor.unsigned(), cursor.isAtEnd,
            let width = Int(exactly: width), let height = Int(exactly: height)
        else { return nil }
        self.init(width: width, height: height)
    }

    package var text: String { "\(width)x\(height)" }
}
