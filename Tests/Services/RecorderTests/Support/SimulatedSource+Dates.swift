extension SimulatedSource {
    /// By how much the date of what is made at a time is later than before the first step, seconds.
    func dateStep(of time: Double) -> Double {
        faults.reduce(0) { sum, fault in
            if case .dateStep(let begin, let step) = fault, time >= begin { sum + step } else { sum }
        }
    }
}
