import HTTP
import Playback
import Timeline

/// The query of a window, read strictly: what a client means must not be guessed.
struct ViewerParameters: Equatable {
    var window: WindowRequest
    var rendition: RenditionID?
    /// The name of the parameter that says where the window ends.
    var endName: String

    /// Reads a query; the zone says what times without one mean in this channel.
    init(query: String?, zone: @escaping InstantReading.Zone) throws(ParameterError) {
        guard let items = QueryItems(reading: query) else {
            throw ParameterError("query", "the query has a malformed escape or too many parameters")
        }
        let reader = ParameterReader(items: items, zone: zone)
        try reader.refuseRepeated()
        window = WindowRequest(try reader.span())
        window.writesGaps = try reader.flag("gaps", value: "tag")
        window.takesAnyTracks = try reader.flag("tracks", value: "any")
        window.isStrict = try reader.choice("strict", [("true", true), ("false", false)]) ?? false
        rendition = try reader.rendition()
        endName = reader.endName
    }
}

extension WindowRequest {
    /// The query that says the same with every instant as a number, for the URIs of a multivariant playlist.
    ///
    /// The plan's end stands for an open one, so that audio and video fetched seconds apart end together.
    func query(pinnedTo plan: WindowPlan) -> String? {
        var items: [String] = []
        switch span {
        case .closed, .event:
            items.append("begintime=\(plan.window.begin.parameterText)")
            items.append("endtime=\(plan.window.end.parameterText)")
            if plan.kind == .event { items.append("mode=event") }
        case .sliding(let length, let delay):
            if let length { items.append("dvr=\(SecondsText.text(length))") }
            if delay > 0 { items.append("delay=\(SecondsText.text(delay))") }
        }
        if writesGaps { items.append("gaps=tag") }
        if takesAnyTracks { items.append("tracks=any") }
        if isStrict { items.append("strict=true") }
        return items.isEmpty ? nil : items.joined(separator: "&")
    }
}
