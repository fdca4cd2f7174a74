/// The first program of a transport stream: its map's PID, then its streams.
struct ProgramTables {
    private static let associationPID: UInt16 = 0
    private var association = SectionAssembler()
    private var map = SectionAssembler()
    private var mapPID: UInt16?
    /// Empty until the program map has been read.
    private(set) var streams: [ProgramStream] = []

    /// Whether a packet of this PID is still needed.
    func wants(_ pid: UInt16) -> Bool {
        streams.isEmpty && (pid == Self.associationPID || pid == mapPID)
    }

    mutating func append(_ payload: Span<UInt8>, pid: UInt16, startsUnit: Bool) {
        if pid == Self.associationPID {
            guard let section = association.append(payload, startsUnit: startsUnit) else { return }
            mapPID = Self.mapPID(section) ?? mapPID
        } else if let section = map.append(payload, startsUnit: startsUnit) {
            streams = Self.streams(section)
        }
    }

    /// The PID of the first program's map (ISO 13818-1 §2.4.4.3); program 0 is the network information.
    private static func mapPID(_ section: ByteCursor) -> UInt16? {
        var section = section
        guard section.byte() == 0x00, section.skip(7) else { return nil }
        while let program = section.uint16(), let pid = section.uint16() {
            if program != 0 { return pid & 0x1FFF }
        }
        return nil
    }

    /// The streams of a program map (ISO 13818-1 §2.4.4.8).
    private static func streams(_ section: ByteCursor) -> [ProgramStream] {
        var section = section
        guard section.byte() == 0x02, section.skip(9), let length = section.uint16(),
            section.skip(Int(length & 0x0FFF))
        else { return [] }
        var streams: [ProgramStream] = []
        while streams.count < Limits.streamCount, let type = section.byte(), let pid = section.uint16(),
            let length = section.uint16(), let descriptors = section.take(Int(length & 0x0FFF))
        {
            streams.append(ProgramStream(pid: pid & 0x1FFF, type: type, descriptors: descriptors))
        }
        return streams
    }
}
