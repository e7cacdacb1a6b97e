package peers;

/** One event: a triple and its time. Its predicate is its type in Esper. */
public final class Event {
    private final long moment;
    private final String subject;
    private final String object;
    private final long value;

    Event(long moment, String subject, String object, long value) {
        this.moment = moment;
        this.subject = subject;
        this.object = object;
        this.value = value;
    }

    /** Microseconds. */
    public long getMoment() {
        return moment;
    }

    public String getSubject() {
        return subject;
    }

    /** The object's IRI; null where it is a number. */
    public String getObject() {
        return object;
    }

    /** The object's number; 0 where it is an IRI. */
    public long getValue() {
        return value;
    }

    /** The same event at another time. */
    Event later(long microseconds) {
        return new Event(moment + microseconds, subject, object, value);
    }
}
