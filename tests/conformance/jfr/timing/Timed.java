/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods for JDK 25 to time: j25.jfr.zst is of
 *
 *     java -XX:StartFlightRecording:settings=timing.jfc,filename=j25.jfr Timed
 */
public class Timed {
    static long sink;

    static void small(int n) {
        for (int i = 0; i < n; i++)
            sink += i;
    }

    static void middle(int n) throws InterruptedException {
        for (int i = 0; i < 3; i++)
            small(n * 1000);
        Thread.sleep(5);
    }

    static void outer(int n) throws InterruptedException {
        middle(n);
        small(n);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread second = new Thread(() -> {
            try {
                for (int i = 0; i < 100; i++)
                    outer(i);
            } catch (InterruptedException e) {
            }
        });
        second.start();
        for (int i = 0; i < 300; i++)
            outer(i);
        fib(12);
        second.join();
        Thread.sleep(600);
        System.out.println(sink);
    }
}
