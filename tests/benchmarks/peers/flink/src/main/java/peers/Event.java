package peers;

/** One event: a triple and its time; Flink serializes it by its fields. */
public final class Event {
    /** Microseconds. */
    public long moment;
    public String subject;
    /** The local name of the predicate. */
    public String predicate;
    /** The object's IRI; empty where it is a number. */
    public String object;
    /** The object's number; 0 where it is an IRI. */
    public long number;

    public Event() {}

    Event(long moment, String subject, String predicate, String object, long number) {
        this.moment = moment;
        this.subject = subject;
        this.predicate = predicate;
        this.object = object;
        this.number = number;
    }
}
