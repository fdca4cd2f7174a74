/// A span of the source's clock with a meaning (EXT-X-DATERANGE), merged from all tags of its ID.
package struct DateRange: Sendable, Hashable {
    package var id: String
    /// The CLASS, which says what the other attributes mean.
    package var classIdentifier: String?
    /// Microseconds since 1970 UTC on the source's clock, as is the end.
    package var startMicroseconds: Int64?
    package var cue: String?
    package var endMicroseconds: Int64?
    package var durationMicroseconds: Int64?
    package var plannedDurationMicroseconds: Int64?
    package var endsOnNext = false
    /// Splice information as the hexadecimal text of the list.
    package var scte35Command: String?
    package var scte35Out: String?
    package var scte35In: String?
    /// The client's own `X-…` attributes and whatever else there was.
    package var otherAttributes = AttributeList()

    package init(id: String, startMicroseconds: Int64?) {
        self.id = id
        self.startMicroseconds = startMicroseconds
    }
}

extension DateRange {
    /// Takes the attributes of a range; nil without ID.
    init?(_ attributes: AttributeList, years: ClosedRange<Int64>) {
        var rest = attributes
        guard let id = rest.take("ID") else { return nil }
        self.init(id: id, startMicroseconds: rest.take(date: "START-DATE", years: years))
        classIdentifier = rest.take("CLASS")
        cue = rest.take("CUE")
        endMicroseconds = rest.take(date: "END-DATE", years: years)
        durationMicroseconds = rest.take(length: "DURATION")
        plannedDurationMicroseconds = rest.take(length: "PLANNED-DURATION")
        endsOnNext = rest.take(flag: "END-ON-NEXT")
        scte35Command = rest.take("SCTE35-CMD")
        scte35Out = rest.take("SCTE35-OUT")
        scte35In = rest.take("SCTE35-IN")
        otherAttributes = rest
    }

    /// The attributes that say the same.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("ID", quoted: id)
        list.append("CLASS", quoted: classIdentifier)
        list.append("START-DATE", quoted: startMicroseconds.map(PlaylistWriter.exactDate))
        list.append("CUE", quoted: cue)
        list.append("END-DATE", quoted: endMicroseconds.map(PlaylistWriter.exactDate))
        list.append("DURATION", durationMicroseconds.map(DecimalText.seconds))
        list.append("PLANNED-DURATION", plannedDurationMicroseconds.map(DecimalText.seconds))
        list.append("END-ON-NEXT", flag: endsOnNext)
        list.append("SCTE35-CMD", scte35Command)
        list.append("SCTE35-OUT", scte35Out)
        list.append("SCTE35-IN", scte35In)
        list.append(otherAttributes)
        return list
    }
}
