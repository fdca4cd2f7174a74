/// A range of the source's time with a meaning (EXT-X-DATERANGE), merged from all tags with its ID.
package struct DateRange: Sendable, Hashable {
    package var id: String
    /// The CLASS, which defines the meaning of the other attributes.
    package var classIdentifier: String?
    /// Microseconds since 1970 UTC in the source's time, as is the end.
    package var startMicroseconds: Int64?
    package var cue: String?
    package var endMicroseconds: Int64?
    package var durationMicroseconds: Int64?
    package var plannedDurationMicroseconds: Int64?
    package var endsOnNext = false
    /// Splice information in hexadecimal digits, as the playlist has it.
    package var scte35Command: String?
    package var scte35Out: String?
    package var scte35In: String?
    /// The client-defined `X-…` attributes and all others.
    package var otherAttributes = AttributeList()

    package init(id: String, startMicroseconds: Int64?) {
        self.id = id
        self.startMicroseconds = startMicroseconds
    }
}

extension DateRange {
    /// Reads the attributes of a range; nil without ID.
    package init?(
        _ attributes: AttributeList, years: ClosedRange<Int64> = ReadingLimits.standard.years
    ) {
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

    /// The attributes to write.
    package var attributes: AttributeList {
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
