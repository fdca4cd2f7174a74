import HTTP
import Playback
import Timeline

/// The query of a window, read strictly: nothing that a client sends is guessed.
struct ViewerParameters: Equatable {
    var window: WindowRequest
    var rendition: RenditionID?
    /// The audio of a file, where it is a rendition of its own.
    var audio: RenditionID?
    /// The name of the parameter that gives the end of the window.
    var endName: String

    /// The name of the parameter that gives the delay.
    var delayName: String

    /// The name of the parameter that says that the window grows.
    var growthName: String

    /// Reads a query and what the path says beside it; `zone` is the channel's, for times that name none.
    init(
        query: String?, dialect: DialectWindow? = nil, zone: @escaping InstantReading.Zone,
    ) throws(ParameterError) {
        var reader = try ParameterReader(query: query, zone: zone)
        if let dialect { try reader.add(dialect) }
        try reader.refuseRepeated()
        window = WindowRequest(try reader.span())
        window.writesGaps = try reader.flag("gaps", value: "tag")
        window.allowsMissingTracks = try reader.flag("tracks", value: "any")
        window.isStrict = try reader.choice("strict", [("true", true), ("false", false)]) ?? false
        rendition = try reader.rendition()
        audio = try reader.audio()
        (endName, delayName, growthName) = (reader.endName, reader.delayName, reader.growthName)
    }

    /// The chosen renditions, which follow the window in a query.
    var choices: String {
        (rendition.map { "&rendition=\($0)" } ?? "") + (audio.map { "&audio=\($0)" } ?? "")
    }
}

extension WindowRequest {
    /// The equivalent query with every instant as a number, for the URIs of a multivariant playlist.
    ///
    /// An end that is open, or not recorded yet, becomes the plan's end, so that audio and video fetched
    /// seconds apart end together.
    func query(pinnedTo plan: WindowPlan) -> String? {
        var items: [String] = []
        switch span {
        case .closed(_, let end):
            let rounded = plan.window.end.lastMillisecond
            let isRounded = (end == nil || !plan.isFixed) && rounded > plan.window.begin
            return query(begin: plan.window.begin, end: isRounded ? rounded : plan.window.end)
        case .event: items = Self.ends(plan.window.begin, plan.window.end) + ["mode=event"]
        case .sliding(let length, let delay):
            if let length { items.append("dvr=\(SecondsText.text(length))") }
            if delay > 0 { items.append("delay=\(SecondsText.text(delay))") }
        case .timeshift(let delay): items = ["timeshift=\(SecondsText.text(delay))"]
        }
        items += options
        return items.isEmpty ? nil : items.joined(separator: "&")
    }

    /// The query of a closed window with these ends and the options of this request.
    func query(begin: Instant, end: Instant) -> String {
        (Self.ends(begin, end) + options).joined(separator: "&")
    }

    private static func ends(_ begin: Instant, _ end: Instant) -> [String] {
        ["begintime=\(begin.parameterText)", "endtime=\(end.parameterText)"]
    }

    private var options: [String] {
        var items: [String] = []
        if writesGaps { items.append("gaps=tag") }
        if allowsMissingTracks { items.append("tracks=any") }
        if isStrict { items.append("strict=true") }
        return items
    }
}
