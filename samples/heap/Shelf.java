// SPDX-License-Identifier: Apache-2.0
import java.lang.ref.*;
import java.util.*;

/** A small program with things to find: a cache that holds most, a list, references that do not retain. */
public class Shelf {
    static class Book {
        final String title;
        final byte[] pages = new byte[300];
        Book(int i) { title = "title " + i; }
    }

    static class Loan {
        final Loan next;
        final int[] days = new int[7];
        Loan(Loan next) { this.next = next; }
    }

    static final Map<String, Book> BOOKS = new HashMap<>();
    static final List<Reference<?>> REFERENCES = new ArrayList<>();
    static final ThreadLocal<byte[]> BUFFER = new ThreadLocal<>();
    static Loan last;

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 1000; i++) BOOKS.put("isbn-" + i, new Book(i));
        for (int i = 0; i < 500; i++) last = new Loan(last);
        for (int i = 0; i < 50; i++) {
            REFERENCES.add(new SoftReference<>(new byte[700]));
            REFERENCES.add(new PhantomReference<>(new byte[100], new ReferenceQueue<>()));
        }
        BUFFER.set(new byte[100_000]);
        Thread.sleep(60_000);
    }
}
